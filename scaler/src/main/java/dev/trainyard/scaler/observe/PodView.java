package dev.trainyard.scaler.observe;

import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.RelationsReader;
import dev.trainyard.scaler.observe.PodRelationsIndex.Neighbour;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The facts about a pod that a round (one pass of the scaler's loop) uses. They are read only from the pod and the labels of its namespace.
 *
 * @param uid null if no API server has stored the pod
 * @param node the node that the pod is bound to or nominated for; null if there is none
 * @param nominated whether the pod is nominated for its node but not bound yet
 * @param ofGang the pod as a member of its gang; empty if it has none
 * @param onNode the facts about the pod on its node; empty if the pod has no node or has ended
 * @param endOfTraining see {@link PodReading#endOfTraining}; empty without a node
 * @param waiting the facts about a pending pod; empty if the pod is not pending or is malformed. A nominated pod that is pending has these
 *     facts too, in case its nomination fails
 * @param unreadable the error of a malformed pending pod; empty for other pods
 * @param neighbour the pod's relations to other pods; empty if the pod is malformed, or neither pending nor on a node
 */
record PodView(
        @Nullable String uid,
        @Nullable String node,
        boolean nominated,
        Optional<GangPod> ofGang,
        Optional<PodOnNode> onNode,
        Optional<Instant> endOfTraining,
        Optional<PendingPod> waiting,
        Optional<Unreadable> unreadable,
        Optional<Neighbour> neighbour) {

    /**
     * @param ownNamespace the namespace that Trainyard itself runs in
     * @param namespaceLabels the labels of the pod's namespace; empty if unknown
     */
    static PodView of(Pod pod, String ownNamespace, Optional<Map<String, String>> namespaceLabels) {
        var bound = PodReading.nodeName(pod);
        var node = bound == null ? PodReading.nominatedNode(pod) : bound;
        boolean isOnNode = node != null && !PodReading.ended(pod);
        Optional<PendingPod> waiting = Optional.empty();
        Optional<Unreadable> unreadable = Optional.empty();
        if (PodReading.waits(pod)) {
            try {
                waiting = Optional.of(PodReading.waiting(pod));
            } catch (RuntimeException e) {
                unreadable = Optional.of(Unreadable.of("Pod", pod.getMetadata(), e));
            }
        }
        boolean isSomewhere = isOnNode || waiting.isPresent() || unreadable.isPresent();
        return new PodView(
                pod.getMetadata().getUid(),
                node,
                node != null && bound == null,
                PodReading.ofGang(pod),
                isOnNode ? Optional.of(PodReading.onNode(pod, ownNamespace)) : Optional.empty(),
                node == null ? Optional.empty() : PodReading.endOfTraining(pod),
                waiting,
                unreadable,
                isSomewhere ? neighbour(pod, namespaceLabels) : Optional.empty());
    }

    /**
     * Returns the view after the decision whether the nomination still holds. If the nominated node is Ready, the pod counts as a pod on
     * that node. If the node is missing or not Ready, the pod counts as pending, since the scheduler will choose again.
     */
    PodView resolved(Set<String> readyNodes) {
        if (!nominated) {
            return this;
        }
        return readyNodes.contains(node)
                ? new PodView(
                        uid, node, true, ofGang, onNode, endOfTraining, Optional.empty(), Optional.empty(), neighbour)
                : new PodView(
                        uid,
                        null,
                        false,
                        ofGang.map(GangPod::withoutNode),
                        Optional.empty(),
                        Optional.empty(),
                        waiting,
                        unreadable,
                        neighbour);
    }

    /** Returns the view of a pod that was not read in time; such a pod counts as malformed. */
    static PodView late(Pod pod) {
        var bound = PodReading.nodeName(pod);
        var node = bound == null ? PodReading.nominatedNode(pod) : bound;
        var reason =
                "it was not read in time, because reading this pod or other pods takes too long; later rounds try again";
        return new PodView(
                pod.getMetadata().getUid(),
                node,
                node != null && bound == null,
                PodReading.ofGang(pod),
                node == null || PodReading.ended(pod)
                        ? Optional.empty()
                        : Optional.of(PodReading.unread(pod, Interruption.never(reason))),
                Optional.empty(),
                Optional.empty(),
                PodReading.waits(pod)
                        ? Optional.of(new Unreadable(
                                "Pod",
                                Objects.requireNonNullElse(pod.getMetadata().getNamespace(), ""),
                                pod.getMetadata().getName(),
                                reason))
                        : Optional.empty(),
                Optional.empty());
    }

    private static Optional<Neighbour> neighbour(Pod pod, Optional<Map<String, String>> namespaceLabels) {
        try {
            return Optional.of(new Neighbour(
                    RelationsReader.relationsOf(pod, namespace -> namespaceLabels), PodReader.hostPortsOf(pod)));
        } catch (RuntimeException e) {
            return Optional.empty(); // the reader of the pod's shape reports the error
        }
    }
}
