package dev.trainyard.scaler.cluster;

import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingTierStatus;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.observe.Cordon;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The Kubernetes API as a round (one pass of the scaler's loop) uses it. A method that changes something throws a {@link RuntimeException}
 * if the call fails. After such a failure, either nothing has changed, or the next round sees the change.
 */
public interface Cluster {

    /**
     * All objects that a round uses, as last observed. Includes the changes that this process has made.
     *
     * @param namespaces returns the facts about a namespace by its name; empty if the namespace is unknown or not listed yet
     */
    record View(
            Catalogue catalogue,
            Map<String, TrainingPool> pools,
            Map<String, TrainingTier> tiers,
            KubernetesObjects objects,
            Function<String, Optional<NamespaceFacts>> namespaces) {

        public List<Pod> pods() {
            return objects.pods();
        }

        public List<Node> nodes() {
            return objects.nodes();
        }
    }

    View view();

    /** Sets annotations; an empty value removes the annotation. Fails if the node has changed since {@link #view}. */
    void annotate(String node, Map<String, Optional<String>> annotations);

    /** Sets labels. Fails if the node has changed since {@link #view}. */
    void label(String node, Map<String, String> labels);

    /** Keeps new pods off a node; see {@link Cordon}. Fails if the node has changed since {@link #view}. */
    void cordon(String node, Removal removal);

    /**
     * Undoes {@link #cordon} and removes all marks of a removal, but keeps what other writers set. The node's idle time, its time of low
     * use, and its time to become usable start again.
     *
     * @param idleSince the new start of the idle time; empty if the node has training pods
     */
    void uncordon(String node, Optional<Instant> idleSince);

    /** Sets annotations of a pod; an empty value removes the annotation. Does not change another pod of the same name. */
    void annotate(PodOnNode pod, Map<String, Optional<String>> annotations);

    /**
     * Reserves room on a node for a pod that has Trainyard's scheduling gate, by its status {@code nominatedNodeName}. The scheduler keeps
     * the room free from pods of equal or lower priority. Fails if the pod no longer exists.
     *
     * @param node empty to reserve no room any more
     */
    void nominate(PendingPod pod, Optional<String> node);

    /** Removes Trainyard's scheduling gate. Fails if the pod no longer exists, or has another gate too. */
    void removeGate(PendingPod pod);

    /**
     * Evicts a pod.
     *
     * @param grace a grace period that replaces the pod's own; empty for the pod's own
     * @return false if a disruption budget does not allow the eviction now
     */
    boolean evict(PodOnNode pod, Optional<Duration> grace);

    /** Returns the pods on a node that have not ended, read from the API server itself, not from a watch. */
    List<PodOnNode> podsOn(String node);

    /**
     * Deletes a node.
     *
     * @param uid the expected UID, so that a new node with the same name is not deleted by mistake
     */
    void delete(String node, String uid);

    void status(TrainingPool pool, TrainingPoolStatus status);

    void status(TrainingTier tier, TrainingTierStatus status);
}
