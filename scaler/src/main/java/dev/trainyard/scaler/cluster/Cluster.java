package dev.trainyard.scaler.cluster;

import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingTierStatus;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.observe.Cordon;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The Kubernetes API as a round uses it. A method that changes something throws a {@link RuntimeException} if the call fails. Either
 * nothing has changed then, or the next round sees the change.
 */
public interface Cluster {

    /**
     * Everything that a round looks at, as last observed. Changes by this process are included.
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

    /** Keeps new pods off a node, see {@link Cordon}. Fails if the node has changed since {@link #view}. */
    void cordon(String node, Removal removal);

    /**
     * Undoes {@link #cordon} and removes all marks of a removal, but keeps what other writers set. The node's idle time, its time of low
     * use, and the time within which it must become usable start again.
     *
     * @param idleSince the new start of the idle time; empty if pods are on the node
     */
    void uncordon(String node, Optional<Instant> idleSince);

    /**
     * Evicts a pod.
     *
     * @return false if a disruption budget does not allow the eviction now
     */
    boolean evict(PodOnNode pod);

    /** Returns the pods on a node that have not ended, read from the API server itself, not from a watch. */
    List<PodOnNode> podsOn(String node);

    /**
     * Deletes a node.
     *
     * @param uid the expected UID, so that a new node of the same name is not deleted instead
     */
    void delete(String node, String uid);

    void status(TrainingPool pool, TrainingPoolStatus status);

    void status(TrainingTier tier, TrainingTierStatus status);
}
