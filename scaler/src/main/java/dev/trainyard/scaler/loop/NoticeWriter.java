package dev.trainyard.scaler.loop;

import dev.trainyard.core.Names;
import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Snapshot;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A writer of annotations on pods. Some tell pods about the end of their machines, so that a training can save its state in time. If a
 * notice is withdrawn, these annotations are removed. Another one has the progress of trainings with a deadline.
 */
final class NoticeWriter {

    private final Cluster cluster;
    private final IsolatedSteps steps;

    NoticeWriter(Cluster cluster, IsolatedSteps steps) {
        this.cluster = cluster;
        this.steps = steps;
    }

    void write(Snapshot snapshot) {
        for (var node : snapshot.nodes()) {
            if (node.pool().isPresent()) {
                for (var pod : node.trainingPods()) {
                    var ofGang = Optional.ofNullable(snapshot.gangNotices().get(pod.uid()));
                    write(
                            pod,
                            Stream.of(node.notice(), ofGang)
                                    .flatMap(Optional::stream)
                                    .min(Comparator.comparing(NodeNotice::kind)));
                }
            }
        }
    }

    /** Writes the progress of trainings with a deadline. This can wait, since the next round has the same progress. */
    void writeProgress(Snapshot snapshot) {
        for (var progress : snapshot.deadlines().records()) {
            steps.attemptIfTimeIsLeft(
                    "writing the progress on pod " + progress.pod(),
                    () -> cluster.annotate(progress.pod(), Map.of(Names.PROGRESS, Optional.of(progress.text()))));
        }
    }

    /**
     * Writes on each pod how many pods its Job has lost to reclaims. A pod gets the number once: with a large Job, an update would change all
     * its pods at each reclaim. A number that the Job never had, such as one of a copied manifest, is corrected.
     */
    void writeTimes(Cluster.View view, Snapshot snapshot, ReclaimedJobs jobs) {
        var times = ReclaimedJobs.times(view.tiers().values());
        if (times.isEmpty()) {
            return;
        }
        snapshot.nodes().stream()
                .filter(node -> node.pool().isPresent())
                .flatMap(node -> node.trainingPods().stream())
                .filter(pod -> !pod.terminating())
                .forEach(pod -> jobs.owner(pod)
                        .map(times::get)
                        .filter(lost -> !hasHad(pod.notices().get(Names.RECLAIMED_TIMES), lost))
                        .ifPresent(lost -> steps.attemptIfTimeIsLeft(
                                "writing the number of reclaims on pod " + pod,
                                () -> cluster.annotate(
                                        pod, Map.of(Names.RECLAIMED_TIMES, Optional.of(lost.toString()))))));
    }

    /** Whether the text is a number that a Job has had which has lost so many pods. */
    private static boolean hasHad(@Nullable String text, int lost) {
        try {
            return text != null && Integer.parseInt(text) >= 1 && Integer.parseInt(text) <= lost;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private void write(PodOnNode pod, Optional<NodeNotice> notice) {
        var changes = new HashMap<String, Optional<String>>();
        var reclaim = notice.filter(NodeNotice::isReclaim);
        var checkpoint = notice.filter(NodeNotice::asksForCheckpoint);
        // The annotations of a terminating pod stay: the pod still leaves after the notice of its gang has gone.
        if (reclaim.isPresent() || !pod.terminating()) {
            change(changes, pod.notices(), Names.ENDS_AT, reclaim.map(NodeNotice::deadline));
        }
        if (reclaim.isEmpty() && (checkpoint.isPresent() || !pod.terminating())) {
            change(changes, pod.notices(), Names.CHECKPOINT_SINCE, checkpoint.map(NodeNotice::since));
        }
        if (!changes.isEmpty()) {
            steps.attempt("writing the notice on pod " + pod, () -> cluster.annotate(pod, changes));
        }
    }

    private static void change(
            Map<String, Optional<String>> changes, Map<String, String> present, String name, Optional<Instant> time) {
        var text = time.map(at -> at.truncatedTo(ChronoUnit.SECONDS).toString());
        if (!Objects.equals(present.get(name), text.orElse(null))) {
            changes.put(name, text);
        }
    }
}
