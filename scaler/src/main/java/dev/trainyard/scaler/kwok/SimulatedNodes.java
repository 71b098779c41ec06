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
 * The Node objects that stand for a pool's machines: as the pool promises, and marked for kwok to play their kubelets. They are
 * without Trainyard's own labels, as nodes of every cloud are when they join.
 */
public final class SimulatedNodes {

    /** kwok plays the kubelet of nodes with this annotation. */
    static final String FAKE = "kwok.x-k8s.io/node";

    private static final int LONGEST_LABEL_VALUE = 63;

    private SimulatedNodes() {}

    static String providerId(String pool, String machine) {
        return "kwok://%s/%s".formatted(pool, machine);
    }

    /**
     * A new node, as a kubelet registers it whose machine is made like the pool promises.
     *
     * @param name of the machine and its node
     * @param complete whether devices show yet, or only what a machine has before its driver is up
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

    /** What changes in a node's status when its driver is up, as a merge patch. */
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

    /** Device resources are those of a vendor: {@code nvidia.com/gpu}. They show when their driver is up. */
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
