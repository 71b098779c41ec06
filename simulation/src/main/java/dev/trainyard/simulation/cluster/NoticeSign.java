package dev.trainyard.simulation.cluster;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A sign on a node by which an agent announces the reclaim of the node's machine, or only recommends to save work. {@code docs/spot.md} lists
 * these signs. This class uses no code of the scaler, so that checks can find errors in that code.
 */
public enum NoticeSign {
    /** Azure's node problem detector. The message states the deadline. */
    STATED("PreemptionScheduled", false, Duration.ZERO),
    /** A condition of Azure without a deadline. */
    CONDITION("PreemptScheduled", false, Duration.ofSeconds(30)),
    /** AWS Node Termination Handler. The scaler treats a node with this taint as cordoned. */
    AWS("aws-node-termination-handler/spot-itn", true, Duration.ofMinutes(2)),
    /** The maintenance handler of Google Cloud. */
    GOOGLE("cloud.google.com/impending-node-termination", true, Duration.ofSeconds(30)),
    /** A recommendation of Azure's node problem detector, in the condition of {@link #STATED}. */
    RECOMMENDATION("PreemptionScheduled", false, Duration.ZERO),
    /** A recommendation of AWS Node Termination Handler. */
    AWS_RECOMMENDATION("aws-node-termination-handler/rebalance-recommendation", true, Duration.ZERO);

    /** The signs that announce a reclaim. */
    public static final List<NoticeSign> RECLAIMS = List.of(STATED, CONDITION, AWS, GOOGLE);

    public static final List<NoticeSign> RECOMMENDATIONS = List.of(RECOMMENDATION, AWS_RECOMMENDATION);

    private static final String STATING = "Preempt Scheduled: ";
    private static final String STATED_END = ". EventId: simulated";
    private static final String RECOMMENDED = "SpotRebalanceRecommendation";

    private final String key;
    private final boolean taints;
    private final Duration lead;

    NoticeSign(String key, boolean taints, Duration lead) {
        this.key = key;
        this.taints = taints;
        this.lead = lead;
    }

    /**
     * Returns when the machine will be gone, according to this sign on the node.
     *
     * @param firstSeen when the sign appeared, in case it states no time
     */
    public Instant deadline(Node node, Instant firstSeen) {
        return conditionsOf(node).stream()
                .filter(condition -> !taints && isMine(condition))
                .map(condition -> this == STATED
                        ? stated(condition.getMessage())
                        : Instant.parse(condition.getLastTransitionTime()).plus(lead))
                .findFirst()
                .orElseGet(() -> firstSeen.plus(lead));
    }

    private static Instant stated(String message) {
        return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(
                message.substring(STATING.length(), message.indexOf(STATED_END))));
    }

    /** Whether the node has this sign. */
    public boolean isOn(Node node) {
        return taints
                ? taintsOf(node).stream().anyMatch(taint -> key.equals(taint.getKey()))
                : conditionsOf(node).stream().anyMatch(this::isMine);
    }

    /** Returns the signs of a node that announce a reclaim, not only a recommendation. */
    public static List<NoticeSign> reclaims(Node node) {
        return RECLAIMS.stream().filter(sign -> sign.isOn(node)).toList();
    }

    /** Whether a sign on the node is a taint, so that the scheduler places no pods there. */
    public static boolean taints(Node node) {
        return Stream.of(values()).anyMatch(sign -> sign.taints && sign.isOn(node));
    }

    /**
     * Returns the node with this sign.
     *
     * @param wanted the time until the reclaim; only {@link #STATED} announces it
     */
    public Node put(Node node, Instant now, Duration wanted) {
        if (taints) {
            var all = new ArrayList<>(taintsOf(without(node)));
            all.add(new Taint("NoSchedule", key, null, null));
            return new NodeBuilder(node).editSpec().withTaints(all).endSpec().build();
        }
        var all = new ArrayList<NodeCondition>(conditionsOf(node));
        all.removeIf(condition -> key.equals(condition.getType()));
        all.add(new NodeConditionBuilder()
                .withType(key)
                .withStatus("True")
                .withMessage(message(now, wanted))
                .withLastTransitionTime(now.truncatedTo(ChronoUnit.SECONDS).toString())
                .build());
        return new NodeBuilder(node)
                .editStatus()
                .withConditions(all)
                .endStatus()
                .build();
    }

    private String message(Instant now, Duration wanted) {
        return switch (this) {
            case STATED ->
                STATING
                        + DateTimeFormatter.RFC_1123_DATE_TIME.format(
                                now.plus(wanted).atOffset(ZoneOffset.UTC))
                        + STATED_END;
            case RECOMMENDATION -> RECOMMENDED + " Scheduled. EventId: simulated";
            default -> "";
        };
    }

    /** Returns the node without this sign. */
    public Node without(Node node) {
        if (taints) {
            return new NodeBuilder(node)
                    .editSpec()
                    .removeMatchingFromTaints(taint -> key.equals(taint.getKey()))
                    .endSpec()
                    .build();
        }
        return new NodeBuilder(node)
                .editStatus()
                .removeMatchingFromConditions(condition -> isMine(condition.build()))
                .endStatus()
                .build();
    }

    private boolean isMine(NodeCondition condition) {
        boolean recommends =
                Optional.ofNullable(condition.getMessage()).orElse("").startsWith(RECOMMENDED);
        return key.equals(condition.getType())
                && "True".equals(condition.getStatus())
                && recommends == (this == RECOMMENDATION);
    }

    private static List<Taint> taintsOf(Node node) {
        return Optional.ofNullable(node.getSpec().getTaints()).orElse(List.of());
    }

    private static List<NodeCondition> conditionsOf(Node node) {
        return Optional.ofNullable(node.getStatus().getConditions()).orElse(List.of());
    }
}
