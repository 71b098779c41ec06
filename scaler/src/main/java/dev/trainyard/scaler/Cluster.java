package dev.trainyard.scaler;

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
 * The Kubernetes API as a round uses it. Methods that change something throw a {@link RuntimeException} when that fails; nothing has
 * changed then, or the next round finds it changed.
 */
public interface Cluster {

    /**
     * All that a round looks at, as far as it has been seen; what this process changed itself is in it.
     *
     * @param namespaces empty for one that is not known (yet)
     */
    record View(
            Catalogue catalogue,
            Map<String, TrainingPool> pools,
            Map<String, TrainingTier> tiers,
            KubernetesObjects objects,
            Function<String, Optional<NamespaceFacts>> namespaces) {

        List<Pod> pods() {
            return objects.pods();
        }

        List<Node> nodes() {
            return objects.nodes();
        }
    }

    View view();

    /** Sets annotations; an empty one is removed. Fails when the node is not any more what {@link #view} showed. */
    void annotate(String node, Map<String, Optional<String>> annotations);

    /** Sets labels. Fails when the node is not any more what {@link #view} showed. */
    void label(String node, Map<String, String> labels);

    /** Keeps new pods off a node, see {@link Cordon}. Fails when the node is not any more what {@link #view} showed. */
    void cordon(String node, Removal removal);

    /**
     * Takes back {@link #cordon} and all marks of a removal, and nothing that others set; idleness, and the time to become usable, are
     * counted anew.
     *
     * @param idleSince from when; empty when pods are on it
     */
    void uncordon(String node, Optional<Instant> idleSince);

    /**
     * Evicts a pod.
     *
     * @return false when a disruption budget does not allow it now
     */
    boolean evict(PodOnNode pod);

    /** Pods on a node that have not ended, asked of the API server itself. */
    List<PodOnNode> podsOn(String node);

    /**
     * Deletes a node.
     *
     * @param uid so that a node of the same name that joined since is not deleted instead
     */
    void delete(String node, String uid);

    void status(TrainingPool pool, TrainingPoolStatus status);

    void status(TrainingTier tier, TrainingTierStatus status);
}
