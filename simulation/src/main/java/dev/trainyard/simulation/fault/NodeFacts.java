package dev.trainyard.simulation.fault;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.observe.Marks;
import dev.trainyard.scaler.observe.Removal;
import io.fabric8.kubernetes.api.model.Node;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What nodes say. Not by what the scaler reads them with: what is wrong with that would be believed here too. */
public final class NodeFacts {

    /** What keeps a node, as {@code docs/scale-down.md} lists it: annotations or labels. */
    public static final List<String> MARKS = List.of(
            Names.DO_NOT_DISRUPT,
            "karpenter.sh/do-not-consolidate",
            "karpenter.sh/do-not-disrupt",
            "cluster-autoscaler.kubernetes.io/scale-down-disabled",
            "openai/detached");

    public static final String GPUS = "nvidia.com/gpu";

    private NodeFacts() {}

    /** The mark that keeps it. */
    public static Optional<String> mark(Node node) {
        return Stream.of(node.getMetadata().getAnnotations(), node.getMetadata().getLabels())
                .flatMap(marks -> Optional.ofNullable(marks).orElse(Map.of()).entrySet().stream())
                .filter(mark -> MARKS.contains(mark.getKey()) && "true".equals(mark.getValue()))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** That the scaler removes it, and why. */
    public static Optional<Removal> removal(Node node) {
        return Optional.ofNullable(node.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Names.REMOVING))
                .flatMap(Removal::parse);
    }

    /** Whether the scaler has just begun to. */
    public static boolean beginsToGo(Node before, Node after) {
        return removal(before).isEmpty() && removal(after).isPresent();
    }

    /** Whether somebody other than the scaler cordoned it, which uses a taint. */
    public static boolean isCordoned(Node node) {
        return Boolean.TRUE.equals(node.getSpec().getUnschedulable());
    }

    /** Whether the scaler has noted that it ordered the machine to go. */
    public static boolean isOrderedToGo(Node node) {
        return Optional.ofNullable(node.getMetadata().getAnnotations())
                .filter(annotations -> annotations.containsKey(Marks.TERMINATING))
                .isPresent();
    }

    public static boolean isReady(Node node) {
        return Optional.ofNullable(node.getStatus().getConditions()).orElse(List.of()).stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals("True"));
    }

    /** Whether pods could run on it: Ready, with its GPUs, and not cordoned by anybody. */
    public static boolean isUsable(Node node) {
        return isReady(node) && !isUnschedulable(node) && gpus(node) > 0;
    }

    /** Whole GPUs that it shows. */
    public static long gpus(Node node) {
        var shown = node.getStatus().getAllocatable().get(GPUS);
        return shown == null ? 0 : shown.getNumericalAmount().longValueExact();
    }

    /** Whether the scaler or somebody else keeps new pods off it. */
    public static boolean isUnschedulable(Node node) {
        return isCordoned(node)
                || Optional.ofNullable(node.getSpec().getTaints()).orElse(List.of()).stream()
                        .anyMatch(taint -> taint.getKey().equals(Names.REMOVING));
    }
}
