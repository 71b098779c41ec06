package dev.trainyard.scaler.observe;

import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.RelationsReader;
import dev.trainyard.scaler.observe.Neighbours.Neighbour;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All that rounds look at in one pod. Depends on nothing but the pod and the labels of its namespace.
 *
 * @param uid null for one that no API server has seen
 * @param node null while it has none
 * @param servesGang see {@link PodReading#servesGang}
 * @param onNode empty without a node, or when it has ended
 * @param endOfTraining see {@link PodReading#endOfTraining}; empty without a node
 * @param waiting empty when it does not wait, or is malformed
 * @param unreadable what is wrong with it, if it would wait otherwise
 * @param neighbour what it is to other pods; empty when it is malformed, or nowhere
 */
record PodView(
        @Nullable String uid,
        @Nullable String node,
        Optional<String> servesGang,
        Optional<PodOnNode> onNode,
        Optional<Instant> endOfTraining,
        Optional<WaitingPod> waiting,
        Optional<Unreadable> unreadable,
        Optional<Neighbour> neighbour) {

    /**
     * @param ownNamespace where Trainyard itself runs
     * @param namespaceLabels of its own namespace; empty while they are not known
     */
    static PodView of(Pod pod, String ownNamespace, Optional<Map<String, String>> namespaceLabels) {
        var node = PodReading.nodeName(pod);
        boolean isOnNode = node != null && !PodReading.ended(pod);
        Optional<WaitingPod> waiting = Optional.empty();
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
                PodReading.servesGang(pod),
                isOnNode ? Optional.of(PodReading.onNode(pod, ownNamespace)) : Optional.empty(),
                node == null ? Optional.empty() : PodReading.endOfTraining(pod),
                waiting,
                unreadable,
                isSomewhere ? neighbour(pod, namespaceLabels) : Optional.empty());
    }

    /** A pod that was not read in time: it counts as one that is malformed. */
    static PodView late(Pod pod) {
        var node = PodReading.nodeName(pod);
        var reason = "it was not read in time: reading it, or other pods, takes too long; later rounds try again";
        return new PodView(
                pod.getMetadata().getUid(),
                node,
                PodReading.servesGang(pod),
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
            return Optional.empty(); // whoever reads its shape says what is wrong with it
        }
    }
}
