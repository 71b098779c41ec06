package dev.trainyard.scaler.kwok;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.ResourceNames;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes the Node objects of simulated machines, as kubelets register theirs; kwok does the rest of a kubelet's work. */
final class KwokNodes {

    private final KubernetesClient client;

    KwokNodes(KubernetesClient client) {
        this.client = client;
    }

    /** The node joins, without GPUs: the driver is not up yet. It may be there already. */
    void join(Pool pool, String machine) {
        try {
            client.resource(node(pool, machine)).create();
        } catch (KubernetesClientException e) {
            if (e.getCode() != 409) {
                throw e;
            }
        }
    }

    /** The driver is up: the GPUs show. A node that is gone meanwhile stays gone. */
    void showGpus(Pool pool, String machine) {
        var node = client.nodes().withName(machine).get();
        if (node != null) {
            var amounts = new HashMap<>(node.getStatus().getAllocatable());
            amounts.putAll(quantities(pool.promise(), true));
            client.nodes()
                    .withName(machine)
                    .editStatus(current -> new NodeBuilder(current)
                            .editStatus()
                            .withAllocatable(amounts)
                            .withCapacity(amounts)
                            .endStatus()
                            .build());
        }
    }

    private static Node node(Pool pool, String machine) {
        var labels = new TreeMap<>(pool.promise().labels());
        labels.put("kubernetes.io/hostname", machine);
        labels.put("kubernetes.io/os", "linux");
        labels.put("kubernetes.io/arch", "amd64");
        // Status is accepted when a node is made, as kubelets make theirs; so kwok never puts its own sizes in.
        var amounts = quantities(pool.promise(), false);
        return new NodeBuilder()
                .withNewMetadata()
                .withName(machine)
                .withLabels(labels)
                .withAnnotations(Map.of("kwok.x-k8s.io/node", "fake"))
                .endMetadata()
                .withNewSpec()
                .withProviderID(KwokCloud.providerId(pool.name(), machine))
                .withTaints(taints(pool.promise()))
                .endSpec()
                .withNewStatus()
                .withAllocatable(amounts)
                .withCapacity(amounts)
                .endStatus()
                .build();
    }

    private static List<Taint> taints(NodeShape promise) {
        return promise.taints().stream()
                .map(taint -> new TaintBuilder()
                        .withKey(taint.key())
                        .withValue(taint.value())
                        .withEffect(taint.effect())
                        .build())
                .toList();
    }

    private static Map<String, Quantity> quantities(NodeShape promise, boolean gpus) {
        var quantities = new HashMap<String, Quantity>();
        promise.allocatable().asMap().forEach((name, amount) -> {
            if (name.equals(ResourceNames.CPU)) {
                quantities.put(name, new Quantity(amount + "m"));
            } else if (gpus || !name.equals(ResourceNames.GPU)) {
                quantities.put(name, new Quantity(Long.toString(amount)));
            }
        });
        return quantities;
    }
}
