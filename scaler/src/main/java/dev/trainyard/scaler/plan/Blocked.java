package dev.trainyard.scaler.plan;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.Outcome.Reason;
import dev.trainyard.scaler.plan.Outcome.Unplaced;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Pods that are pending for a reason other than a lack of room. No node is reserved and no machine is requested for such pods. */
final class Blocked {

    private Blocked() {}

    /**
     * Returns why pods are blocked, by pod UID.
     *
     * @param passedOver by pod UID: the name of a node that had room for the pod, but that the scheduler did not use
     */
    static Map<String, Unplaced> of(Snapshot snapshot, Map<String, String> passedOver) {
        var blocked = new HashMap<String, Unplaced>();
        var nodes = new HashMap<String, NodeView>();
        if (!passedOver.isEmpty()) {
            snapshot.nodes().forEach(node -> nodes.put(node.name(), node));
        }
        var canaries = new HashSet<String>();
        for (var pod : snapshot.demand()) {
            var node = passedOver.get(pod.uid());
            if (isOverQuota(pod) && !(isElastic(pod) && canaries.add(pod.namespace()))) {
                blocked.put(pod.uid(), because("no machine is requested: its scheduler's quota is used up", pod));
            } else if (lacksVolume(pod)) {
                blocked.put(
                        pod.uid(), because("no machine is requested: the pod could not run without its volume", pod));
            } else if (pod.shape().hasResourceClaims() && pod.shape().tier() == null) {
                blocked.put(
                        pod.uid(),
                        because(
                                "no machine is requested: pools do not promise the devices of resource claims; "
                                        + "annotate the pod with %s if machines of a tier have these devices"
                                                .formatted(Names.TIER),
                                pod));
            } else if (node != null) {
                why(snapshot.catalogue(), pod, node, Optional.ofNullable(nodes.get(node)))
                        .ifPresent(why -> blocked.put(pod.uid(), because(why, pod)));
            }
        }
        return blocked;
    }

    /**
     * Whether a quota of the pod's scheduler holds the pod back, such as ElasticQuota of scheduler-plugins or Koordinator's quota.
     * ResourceQuota and Kueue need no check: ResourceQuota prevents the creation of pods, and Kueue gives pods a scheduling gate.
     */
    private static boolean isOverQuota(PendingPod pod) {
        var verdict = pod.verdict().toLowerCase(Locale.ROOT);
        return isElastic(pod) || (verdict.contains("is rejected in prefilter because") && verdict.contains("quota"));
    }

    /**
     * Whether the quota is a share of the cluster's capacity, as in Koordinator. Another machine may raise such a quota, so one pod of each
     * namespace is still planned for.
     */
    private static boolean isElastic(PendingPod pod) {
        return pod.verdict().contains("Insufficient quotas, quotaName");
    }

    /**
     * Whether a missing volume holds the pod back on every node. The compared texts are messages of kube-scheduler's plugins VolumeBinding
     * and VolumeRestrictions. The scheduler changes its message as soon as the volume exists.
     */
    private static boolean lacksVolume(PendingPod pod) {
        var verdict = pod.verdict();
        return verdict.contains("unbound immediate PersistentVolumeClaims")
                || verdict.contains("waiting for ephemeral volume controller to create the persistentvolumeclaim")
                || (verdict.contains("persistentvolumeclaim")
                        && Stream.of("not found", "is being deleted", "non-existent persistentvolume")
                                .anyMatch(verdict::contains));
    }

    /**
     * Returns why no machine is requested for a pod that the scheduler did not bind to the node. Returns empty if the node can no longer run
     * the pod: the pod may now be pending for lack of room.
     */
    private static Optional<String> why(Catalogue catalogue, PendingPod pod, String name, Optional<NodeView> node) {
        boolean going = node.map(n -> n.terminating() || n.marks().removal().isPresent())
                .orElse(true);
        if (going) {
            return Optional.of(
                    "no machine is requested: node %s had room for the pod, but the scheduler did not use the node"
                            .formatted(name));
        }
        return node.filter(n -> hasRoom(n, pod)
                        && catalogue
                                .policy()
                                .access(pod.shape(), n.pool(), n.shape())
                                .isPossible())
                .map(n -> "node %s should have room for the pod".formatted(name));
    }

    private static boolean hasRoom(NodeView node, PendingPod pod) {
        return node.takesPods()
                && Fit.check(
                                pod.shape(),
                                node.uncordoned(),
                                node.shape().allocatable().minus(node.used()))
                        .isEmpty();
    }

    private static Unplaced because(String why, PendingPod pod) {
        return new Unplaced(
                Reason.BLOCKED,
                "%s%s; the scheduler reports: %s".formatted(why, Explanations.caveat(pod.shape()), pod.verdict()));
    }
}
