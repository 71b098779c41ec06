package dev.trainyard.scaler.observe;

import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.pod.PodShape;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The pods that will be pending soon: their controllers will create them again, because the cloud has announced the reclaim of their
 * machines, or of the machine of a member of their gang, or because one of these machines is broken. Planning for these pods before they are
 * evicted lets their new machines boot in the time of the notice. Pods that have been evicted to return to spot machines belong to them
 * too, so that the room for them stays reserved.
 *
 * <p>An evicted pod may exist for a while beside the pod that replaces it. A pod that has been evicted therefore counts only if its
 * controller has not created another pod since.
 */
final class LeavingPods {

    /**
     * @param since when the notice appeared that makes the pods leave, or when the removal of the machine began
     * @param evicted whether only the machine's evicted pods leave for certain
     */
    private record Announced(PodShape shape, Instant since, boolean evicted) {}

    private record Leaving(Pod pod, Announced announced) {}

    private LeavingPods() {}

    /**
     * @param gangNotices see {@link Snapshot#gangNotices}
     * @param pods all pods, on nodes and pending
     * @param staying see {@link Snapshot#staying}
     */
    static List<PendingPod> of(
            List<NodeView> nodes, Map<String, NodeNotice> gangNotices, Collection<Pod> pods, StayingPods staying) {
        var announced = new HashMap<String, Announced>();
        for (var node : nodes) {
            for (var pod : node.trainingPods()) {
                // A broken machine keeps the pods that cannot be evicted. Their new machines would stay idle.
                var reclaim = node.leaveNotice()
                        .filter(notice -> notice.isReclaim()
                                || pod.terminating()
                                || staying.reason(pod).isEmpty())
                        .or(() ->
                                Optional.ofNullable(gangNotices.get(pod.uid())).filter(NodeNotice::emptiesMachine));
                reclaim.map(NodeNotice::since)
                        .or(() -> returnBegun(node))
                        .ifPresent(since -> pod.shape()
                                .ifPresent(shape ->
                                        announced.put(pod.uid(), new Announced(shape, since, reclaim.isEmpty()))));
            }
        }
        if (announced.isEmpty()) {
            return List.of();
        }
        var leaving = new HashMap<String, Leaving>();
        for (var pod : pods) {
            var uid = String.valueOf(pod.getMetadata().getUid());
            var reclaim = announced.get(uid);
            if (reclaim != null && comesBack(pod, reclaim)) {
                leaving.put(uid, new Leaving(pod, reclaim));
            }
        }
        return withoutReplaced(leaving, pods);
    }

    /** Returns when the scaler began to remove the node's machine because its pods return to spot machines; empty if it does not. */
    private static Optional<Instant> returnBegun(NodeView node) {
        return node.marks()
                .removal()
                .filter(removal -> removal.reason() == Removal.Reason.RETURN_TO_SPOT)
                .map(Removal::since);
    }

    /** Whether the pod leaves its machine, and its controller will create it again. */
    private static boolean comesBack(Pod pod, Announced announced) {
        boolean stays = pod.getMetadata().getDeletionTimestamp() == null && !announced.evicted();
        return PodReading.controller(pod).isPresent()
                && PodReading.nodeName(pod) != null
                && (stays || PodReading.isEvicted(pod));
    }

    /** Leaves out one evicted pod of a controller for each pod that the controller has created since its first eviction. */
    private static List<PendingPod> withoutReplaced(Map<String, Leaving> leaving, Collection<Pod> pods) {
        var firstEviction = new HashMap<String, Instant>();
        leaving.values()
                .forEach(pod -> PodReading.deletedAt(pod.pod())
                        .ifPresent(at -> firstEviction.merge(controller(pod.pod()), at, LeavingPods::earlier)));
        var replaced = new HashMap<String, Integer>();
        for (var pod : pods) {
            var from = firstEviction.isEmpty() ? null : firstEviction.get(controller(pod));
            // Times of Kubernetes have whole seconds.
            if (from != null
                    && !PodReading.created(pod).isBefore(from)
                    && !leaving.containsKey(pod.getMetadata().getUid())) {
                replaced.merge(controller(pod), 1, Integer::sum);
            }
        }
        var left = new ArrayList<PendingPod>();
        leaving.values().stream()
                .sorted(Comparator.comparing(
                                (Leaving pod) -> pod.pod().getMetadata().getNamespace())
                        .thenComparing(pod -> pod.pod().getMetadata().getName()))
                .forEach(pod -> {
                    boolean evicted = pod.pod().getMetadata().getDeletionTimestamp() != null;
                    if (evicted && replaced.getOrDefault(controller(pod.pod()), 0) > 0) {
                        replaced.merge(controller(pod.pod()), -1, Integer::sum);
                    } else {
                        left.add(PodReading.pending(
                                pod.pod(),
                                pod.announced().shape(),
                                pod.announced().since()));
                    }
                });
        return left;
    }

    private static String controller(Pod pod) {
        return PodReading.controller(pod)
                .map(OwnerReference::getUid)
                .map(String::valueOf)
                .orElse("");
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }
}
