package dev.trainyard.scaler.lifecycle;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** A fixture of nodes on running machines, with the scaler's annotations (marks), and with queries of the lifecycle's verdicts. */
public final class Nodes {

    public static final String LONG_AGO = "2026-01-01T11:00:00Z";

    public final SnapshotFixture testCluster;
    private final Map<String, List<Machine>> machines = new HashMap<>();

    public Nodes(SnapshotFixture testCluster) {
        this.testCluster = testCluster;
    }

    /** Adds a node of pool p. */
    public SnapshotFixture node(String name, UnaryOperator<NodeBuilder> change) {
        return node(name, "p", change);
    }

    public SnapshotFixture node(String name, String pool, UnaryOperator<NodeBuilder> change) {
        var ofPool = machines.computeIfAbsent(pool, p -> new ArrayList<>());
        ofPool.add(SnapshotFixture.machine(pool, name, State.RUNNING, Objects.NOON));
        return testCluster.node(name, pool, change).cloud(pool, ofPool.size(), ofPool.toArray(Machine[]::new));
    }

    public static UnaryOperator<NodeBuilder> idleSince(String time) {
        return marked("usable-since", LONG_AGO, "idle-since", time);
    }

    /** Returns an edit that marks a node as in use, but little used since that time. */
    public static UnaryOperator<NodeBuilder> littleUsedSince(String time) {
        return marked("usable-since", LONG_AGO, "under-utilized-since", time);
    }

    public static UnaryOperator<NodeBuilder> cordoned(UnaryOperator<NodeBuilder> change) {
        return node -> change.apply(node).editSpec().withUnschedulable(true).endSpec();
    }

    /** Returns an edit that marks a node as one that the scaler is removing, and adds further marks. */
    public static UnaryOperator<NodeBuilder> removing(String mark, String... marks) {
        return node -> marked(marks)
                .apply(marked("removing", mark + ", taint")
                        .apply(tainted("trainyard.dev/removing").apply(node)));
    }

    public static UnaryOperator<NodeBuilder> tainted(String key) {
        return node ->
                node.editSpec().addNewTaint("NoSchedule", key, null, null).endSpec();
    }

    /**
     * Returns an edit that marks a node.
     *
     * @param marks names without {@code trainyard.dev/}, each followed by its value
     */
    public static UnaryOperator<NodeBuilder> marked(String... marks) {
        return node -> {
            for (int i = 0; i < marks.length; i += 2) {
                node.editMetadata()
                        .addToAnnotations("trainyard.dev/" + marks[i], marks[i + 1])
                        .endMetadata();
            }
            return node;
        };
    }

    public static UnaryOperator<NodeBuilder> deadSince(String time) {
        return node -> notReady(marked("usable-since", "2026-01-01T10:00:00Z").apply(node))
                .editStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus("Unknown")
                .withLastTransitionTime(time)
                .endCondition()
                .endStatus();
    }

    public static NodeBuilder notReady(NodeBuilder node) {
        return node.editStatus().withConditions().endStatus();
    }

    /** Changes the last added pod. */
    public Pod lastPod(UnaryOperator<PodBuilder> change) {
        int last = testCluster.pods.size() - 1;
        testCluster.pods.set(
                last, change.apply(new PodBuilder(testCluster.pods.get(last))).build());
        return testCluster.pods.get(last);
    }

    /** Returns a pod on node n whose controller is of that kind. */
    public static Pod owned(String name, String kind) {
        return new PodBuilder(Objects.running(name, "n", "cpu", "100m"))
                .editMetadata()
                .editFirstOwnerReference()
                .withKind(kind)
                .endOwnerReference()
                .endMetadata()
                .build();
    }

    public Map<String, Optional<String>> notes(String node) {
        var snapshot = testCluster.snapshot();
        return snapshot.nodes().stream()
                .filter(view -> view.name().equals(node))
                .findFirst()
                .map(view -> NodeTimestamps.missing(view, snapshot))
                .orElseThrow();
    }

    /** Returns the verdict on the node, such as {@code idle-schedulable Cordon: idle for 1h}. */
    public String judge(String node) {
        return verdicts(Set.of()).stream()
                .filter(verdict -> verdict.startsWith(node + " "))
                .findFirst()
                .orElseThrow()
                .substring(node.length() + 1);
    }

    /** Returns the verdicts on all nodes. Each verdict follows the node's name. */
    public List<String> verdicts(Set<String> reserved) {
        return Lifecycle.judge(testCluster.snapshot(), reserved).stream()
                .map(verdict -> "%s %s %s: %s"
                        .formatted(
                                verdict.node().name(),
                                verdict.state(),
                                verdict.step().getClass().getSimpleName(),
                                verdict.reason()))
                .toList();
    }
}
