package dev.trainyard.scaler;

import dev.trainyard.scaler.audit.Audit;
import dev.trainyard.scaler.audit.Finding.NotCompleted;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * Makes pods that were admitted without the webhook known: a metric, a log line when their number changes, and an Event on each. A pod that
 * has a node is told once, since its author may well leave it as it is; one that waits is told again when its Event is forgotten.
 * For one thread.
 */
final class Auditor {

    /** Events in one round: a webhook that was down for a day may have left thousands of pods, which the next rounds tell. */
    static final int AT_ONCE = 100;

    /** For how long an API server keeps Events, unless its {@code --event-ttl} says otherwise. */
    static final Duration EVENT_LIFE = Duration.ofHours(1);

    private final String ownNamespace;
    private final Narrator narrator;
    private final ScalerMetrics metrics;
    /** When each pod was told, by uid. A new process tells all of them again, once. */
    private final Map<String, Instant> told = new HashMap<>();

    private int before;

    Auditor(String ownNamespace, Narrator narrator, ScalerMetrics metrics) {
        this.ownNamespace = ownNamespace;
        this.narrator = narrator;
        this.metrics = metrics;
    }

    Audit audit(Cluster.View view, Instant now) {
        var audit = Audit.of(view.pods(), view.namespaces(), view.catalogue(), ownNamespace);
        var missed = audit.notCompleted();
        metrics.notCompleted(missed.size());
        if (missed.size() != before) {
            narrator.notCompleted(missed.values(), before);
            before = missed.size();
        }
        told.keySet().retainAll(missed.keySet());
        missed.entrySet().stream()
                .filter(pod -> isDue(pod.getKey(), now))
                .sorted(Map.Entry.comparingByValue(Comparator.comparing(NotCompleted::pod)))
                .limit(AT_ONCE)
                .forEach(pod -> {
                    narrator.notCompleted(pod.getKey(), pod.getValue());
                    told.put(pod.getKey(), now);
                });
        return audit;
    }

    private boolean isDue(String uid, Instant now) {
        var last = told.get(uid);
        return last == null || (!narrator.hasNode(uid) && !last.plus(EVENT_LIFE).isAfter(now));
    }
}
