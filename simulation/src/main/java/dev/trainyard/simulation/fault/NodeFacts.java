package dev.trainyard.simulation.fault;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.simulation.cluster.NoticeSign;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Facts about nodes. This class uses no code of the scaler except for names and formats of annotations, so that checks can find errors in
 * that code.
 */
public final class NodeFacts {

    /**
     * The marks that protect a node from removal: annotations or labels with the value {@code true}, as listed in
     * {@code docs/scale-down.md}.
     */
    public static final List<String> MARKS = List.of(
            Names.DO_NOT_DISRUPT,
            "karpenter.sh/do-not-consolidate",
            "karpenter.sh/do-not-disrupt",
            "cluster-autoscaler.kubernetes.io/scale-down-disabled",
            "openai/detached");

    public static final String GPUS = "nvidia.com/gpu";

    /** The condition of the monitoring agent of EKS, which is False on a broken machine. */
    private static final String HARDWARE = "AcceleratedHardwareReady";

    private NodeFacts() {}

    /** Whether an agent reports the machine of a node as broken. */
    public static boolean isReportedBroken(Node node) {
        return conditions(node).stream()
                .anyMatch(condition -> condition.getType().equals(HARDWARE)
                        && condition.getStatus().equals("False"));
    }

    /** Returns the node with a report of an agent on its machine. */
    static Node reported(Node node, boolean broken, Instant now) {
        var conditions = new ArrayList<>(conditions(node));
        conditions.removeIf(condition -> condition.getType().equals(HARDWARE));
        conditions.add(new NodeConditionBuilder()
                .withType(HARDWARE)
                .withStatus(broken ? "False" : "True")
                .withLastTransitionTime(now.truncatedTo(ChronoUnit.SECONDS).toString())
                .build());
        return new NodeBuilder(node)
                .editStatus()
                .withConditions(conditions)
                .endStatus()
                .build();
    }

    private static List<NodeCondition> conditions(Node node) {
        return Optional.ofNullable(node.getStatus().getConditions()).orElse(List.of());
    }

    /** Returns the mark that protects a node; empty if there is none. */
    public static Optional<String> mark(Node node) {
        return Stream.of(node.getMetadata().getAnnotations(), node.getMetadata().getLabels())
                .flatMap(marks -> Optional.ofNullable(marks).orElse(Map.of()).entrySet().stream())
                .filter(mark -> MARKS.contains(mark.getKey()) && "true".equals(mark.getValue()))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** Returns the removal of a node by the scaler, with its reason; empty if the scaler is not removing it. */
    public static Optional<Removal> removal(Node node) {
        return Optional.ofNullable(node.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Names.REMOVING))
                .flatMap(Removal::parse);
    }

    /** Whether the scaler has just begun to remove the node. */
    public static boolean removalStarts(Node before, Node after) {
        return removal(before).isEmpty() && removal(after).isPresent();
    }

    /** Whether an operator has cordoned a node. The scaler uses a taint instead. */
    public static boolean isCordoned(Node node) {
        return Boolean.TRUE.equals(node.getSpec().getUnschedulable());
    }

    /** Whether an annotation records that the scaler has requested the termination of the machine. */
    public static boolean isTerminationRequested(Node node) {
        return Optional.ofNullable(node.getMetadata().getAnnotations())
                .filter(annotations -> annotations.containsKey(ScalerAnnotations.TERMINATING))
                .isPresent();
    }

    public static boolean isReady(Node node) {
        return conditions(node).stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals("True"));
    }

    /** Whether pods could run on the node: it is Ready, has GPUs and accepts new pods. */
    public static boolean isUsable(Node node) {
        return isReady(node) && !isUnschedulable(node) && gpus(node) > 0;
    }

    /** Returns the number of allocatable whole GPUs. */
    public static long gpus(Node node) {
        var shown = node.getStatus().getAllocatable().get(GPUS);
        return shown == null ? 0 : shown.getNumericalAmount().longValueExact();
    }

    /** Whether the scaler, a person or a notice of a reclaim keeps new pods off the node. */
    public static boolean isUnschedulable(Node node) {
        return isCordoned(node)
                || NoticeSign.taints(node)
                || Optional.ofNullable(node.getSpec().getTaints()).orElse(List.of()).stream()
                        .anyMatch(taint -> taint.getKey().equals(Names.REMOVING));
    }
}
