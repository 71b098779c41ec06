package dev.trainyard.scaler.loop;

import dev.trainyard.scaler.audit.Audit;
import dev.trainyard.scaler.audit.AuditFinding.NotCompleted;
import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.metrics.ScalerMetrics;
import dev.trainyard.scaler.report.RoundReporter;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * A reporter of pods that were admitted without the webhook. Reports by a metric, by a log line if the number of these pods changes, and by
 * an Event on each pod. A pod that has a node gets only one Event, since its author may accept the pod as it is. A pending pod gets another
 * Event after {@link #EVENT_LIFE}, since the API server has then dropped the last Event. Not thread-safe.
 */
final class Auditor {

    /**
     * The limit of Events in one round. A webhook that was down for a day may have missed thousands of pods. Later rounds report the
     * remaining pods.
     */
    static final int AT_ONCE = 100;

    /** How long an API server keeps Events by default ({@code --event-ttl}). */
    static final Duration EVENT_LIFE = Duration.ofHours(1);

    private final String ownNamespace;
    private final RoundReporter reporter;
    private final ScalerMetrics metrics;
    /** The time of each pod's last Event, by pod UID. After a restart, the map is empty, and every pod is reported once more. */
    private final Map<String, Instant> told = new HashMap<>();

    private int before;

    Auditor(String ownNamespace, RoundReporter reporter, ScalerMetrics metrics) {
        this.ownNamespace = ownNamespace;
        this.reporter = reporter;
        this.metrics = metrics;
    }

    Audit audit(Cluster.View view, Instant now) {
        var audit = Audit.of(view.pods(), view.namespaces(), view.catalogue(), ownNamespace);
        var missed = audit.notCompleted();
        metrics.notCompleted(missed.size());
        if (missed.size() != before) {
            reporter.notCompleted(missed.values(), before);
            before = missed.size();
        }
        told.keySet().retainAll(missed.keySet());
        missed.entrySet().stream()
                .filter(pod -> isDue(pod.getKey(), now))
                .sorted(Map.Entry.comparingByValue(Comparator.comparing(NotCompleted::pod)))
                .limit(AT_ONCE)
                .forEach(pod -> {
                    reporter.notCompleted(pod.getKey(), pod.getValue());
                    told.put(pod.getKey(), now);
                });
        return audit;
    }

    private boolean isDue(String uid, Instant now) {
        var last = told.get(uid);
        return last == null || (!reporter.hasNode(uid) && !last.plus(EVENT_LIFE).isAfter(now));
    }
}
