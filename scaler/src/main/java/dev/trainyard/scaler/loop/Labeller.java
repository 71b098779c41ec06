package dev.trainyard.scaler.loop;

import dev.trainyard.runtime.kubernetes.EventRecorder;
import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.report.RoundReporter;
import java.util.HashSet;
import java.util.Set;

/**
 * A writer of labels on the nodes of pools' machines, so that users can select nodes by pool and capacity type on every cloud. If another
 * writer has set such a label to a different value, the label is kept and reported once. Not thread-safe.
 */
final class Labeller {

    private final Cluster cluster;
    private final RoundReporter reporter;
    private final IsolatedSteps steps;
    /** The mismatches that were found in the last round, so that each mismatch is reported once. */
    private Set<String> reported = Set.of();

    Labeller(Cluster cluster, RoundReporter reporter, IsolatedSteps steps) {
        this.cluster = cluster;
        this.reporter = reporter;
        this.steps = steps;
    }

    void label(Snapshot snapshot) {
        var reports = new HashSet<String>();
        for (var node : snapshot.nodes()) {
            if (node.terminating()) {
                continue;
            }
            var missing = node.labels().missing();
            if (!missing.isEmpty()) {
                steps.attemptIfTimeIsLeft("labelling node " + node.name(), () -> cluster.label(node.name(), missing));
            }
            node.labels().foreign().forEach((key, wanted) -> report(node, key, wanted, reports));
        }
        reported = reports;
    }

    private void report(NodeView node, String key, String wanted, Set<String> reports) {
        var words =
                "label %s is '%s', but the pool of the node's machine requires '%s': remove or correct the label, which the scaler does not change"
                        .formatted(key, node.shape().labels().get(key), wanted);
        var report = node.name() + " " + words;
        reports.add(report);
        if (!reported.contains(report)) {
            reporter.node(node.name(), EventRecorder.Type.WARNING, "LabelMismatch", words);
        }
    }
}
