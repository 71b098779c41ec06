package dev.trainyard.scaler.loop;

import dev.trainyard.core.Names;
import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Snapshot;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

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
                node.trainingPods().forEach(pod -> write(node, pod));
            }
        }
    }

    private void write(NodeView node, PodOnNode pod) {
        var changes = new HashMap<String, Optional<String>>();
        change(changes, pod.notices(), Names.ENDS_AT, node.reclaim().map(NodeNotice::deadline));
        if (node.reclaim().isEmpty()) {
            change(
                    changes,
                    pod.notices(),
                    Names.CHECKPOINT_SINCE,
                    node.notice()
                            .filter(notice -> notice.kind() == NodeNotice.Kind.CHECKPOINT
                                    || notice.kind() == NodeNotice.Kind.LATER_RECLAIM)
                            .map(NodeNotice::since));
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
