package dev.trainyard.scaler.kwok;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.HashMap;
import java.util.Map;

/**
 * The Node objects of a pool's simulated machines. They have everything that the pool promises, and an annotation that makes kwok simulate
 * their kubelets. Like new nodes in a real cloud, they lack Trainyard's own labels.
 */
public final class SimulatedNodes {

    /** The annotation of nodes whose kubelets kwok simulates. */
    static final String FAKE = "kwok.x-k8s.io/node";

    private static final int LONGEST_LABEL_VALUE = 63;

    private SimulatedNodes() {}

    static String providerId(String pool, String machine) {
        return "kwok://%s/%s".formatted(pool, machine);
    }

    /**
     * Returns a node as a kubelet would register it, on a new machine that has everything that the pool promises.
     *
     * @param name the name of the machine and its node
     * @param complete whether the node reports its devices (such as GPUs) already; false until the machine's driver is ready
     */
    public static Node node(Pool pool, String name, String providerId, boolean complete) {
        var promise = pool.promise();
        var labels = new HashMap<String, String>(pool.ownLabels());
        if (name.length() <= LONGEST_LABEL_VALUE) {
            labels.put("kubernetes.io/hostname", name);
        }
        Pool.USUAL_LABELS.forEach(labels::putIfAbsent);
        var allocatable = quantities(pool.newNode().allocatable(), complete);
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .addToAnnotations(FAKE, "fake")
                .endMetadata()
                .withNewSpec()
                .withProviderID(providerId)
                .withTaints(promise.taints().stream()
                        .map(taint -> new Taint(taint.effect(), taint.key(), null, taint.value()))
                        .toList())
                .endSpec()
                .withNewStatus()
                .withAllocatable(allocatable)
                .withCapacity(allocatable)
                .endStatus()
                .build();
    }

    /** Returns a merge patch for a node's status, to be applied once the node's driver is ready. */
    public static Node completion(Pool pool, String name) {
        var allocatable = quantities(pool.newNode().allocatable(), true);
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewStatus()
                .withAllocatable(allocatable)
                .withCapacity(allocatable)
                .endStatus()
                .build();
    }

    /**
     * Returns the quantities, with or without devices. A resource is a device if its name has a vendor's prefix, as in {@code
     * nvidia.com/gpu}. Nodes report devices only once the driver is ready.
     */
    private static Map<String, Quantity> quantities(Resources resources, boolean withDevices) {
        var quantities = new HashMap<String, Quantity>();
        resources.asMap().forEach((name, amount) -> {
            if (withDevices || name.indexOf('/') < 0) {
                quantities.put(name, new Quantity(name.equals(ResourceNames.CPU) ? amount + "m" : amount.toString()));
            }
        });
        return quantities;
    }
}
