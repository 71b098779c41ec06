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

/**
 * A writer of annotations that tell pods about the end of their machines, so that a training can save its state in time. If a notice is
 * withdrawn, the annotations are removed.
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

    private void write(PodOnNode pod, Optional<NodeNotice> notice) {
        var changes = new HashMap<String, Optional<String>>();
        var reclaim = notice.filter(NodeNotice::isReclaim);
        // The annotation of a terminating pod stays: the pod still leaves after the notice of its gang has gone.
        if (reclaim.isPresent() || !pod.terminating()) {
            change(changes, pod.notices(), Names.ENDS_AT, reclaim.map(NodeNotice::deadline));
        }
        if (reclaim.isEmpty()) {
            change(
                    changes,
                    pod.notices(),
                    Names.CHECKPOINT_SINCE,
                    notice.filter(NodeNotice::asksForCheckpoint).map(NodeNotice::since));
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
