package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeReader;
import dev.trainyard.core.resource.Quantities;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rules that decide which changes of objects start a round (one pass of the scaler's loop). Most updates start none: kubelets report
 * every few seconds that nothing has changed.
 */
public final class Significance {

    private Significance() {}

    /** How long a scheduler may need to try a new pod. If a pod waits longer, the scheduler seems to be missing, or not started yet. */
    private static final Duration SOON = Duration.ofSeconds(10);

    /** Whether the pod may become pending at any moment, since it is new and the scheduler has not tried it yet. */
    public static boolean isDemandToCome(Pod pod, Instant now) {
        return PodReading.unjudged(pod) && PodReading.created(pod).plus(SOON).isAfter(now);
    }

    /** Whether the pod is pending. */
    public static boolean isDemand(Pod pod) {
        return PodReading.waits(pod);
    }

    /** Whether the pod has become pending. */
    public static boolean beginsToWait(Pod before, Pod after) {
        return isDemand(after) && !isDemand(before);
    }

    /** Whether the pod is bound to a node, even if it has ended. */
    public static boolean hasNode(Pod pod) {
        return PodReading.nodeName(pod) != null;
    }

    /** Whether a node got or lost a pod. */
    public static boolean changesRoom(Pod before, Pod after) {
        return !Objects.equals(PodReading.nodeName(before), PodReading.nodeName(after))
                || PodReading.ended(before) != PodReading.ended(after);
    }

    public static boolean changesRoom(Node before, Node after) {
        return NodeReader.isReady(before) != NodeReader.isReady(after)
                || !Objects.equals(before.getSpec(), after.getSpec())
                || !Objects.equals(
                        before.getMetadata().getLabels(), after.getMetadata().getLabels())
                || !Objects.equals(
                        before.getMetadata().getAnnotations(),
                        after.getMetadata().getAnnotations())
                || !announced(before).equals(announced(after))
                || !Quantities.areSame(
                        before.getStatus() == null ? null : before.getStatus().getAllocatable(),
                        after.getStatus() == null ? null : after.getStatus().getAllocatable());
    }

    /**
     * Returns the messages of the node's true conditions, by type. Tools announce the end of a machine by such conditions. The kubelet's own
     * Ready condition is left out.
     */
    private static Map<String, String> announced(Node node) {
        var messages = new HashMap<String, String>();
        if (node.getStatus() != null && node.getStatus().getConditions() != null) {
            for (var condition : node.getStatus().getConditions()) {
                if ("True".equals(condition.getStatus()) && !"Ready".equals(condition.getType())) {
                    messages.put(String.valueOf(condition.getType()), String.valueOf(condition.getMessage()));
                }
            }
        }
        return messages;
    }

    /** Whether the budget's spec or its number of allowed evictions has changed. */
    public static boolean allowanceChanged(PodDisruptionBudget before, PodDisruptionBudget after) {
        return specChanged(before, after) || !Objects.equals(allowed(before), allowed(after));
    }

    private static @Nullable Integer allowed(PodDisruptionBudget budget) {
        return budget.getStatus() == null ? null : budget.getStatus().getDisruptionsAllowed();
    }

    /** Whether the object's spec has changed. The API server then increases the object's generation. */
    public static boolean specChanged(HasMetadata before, HasMetadata after) {
        return !Objects.equals(
                before.getMetadata().getGeneration(), after.getMetadata().getGeneration());
    }
}
