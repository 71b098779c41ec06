package dev.trainyard.bench.scheduler;

import dev.trainyard.core.Names;
import dev.trainyard.core.resource.ResourceNames;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PreferredSchedulingTerm;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The nodes and pods of the scheduler benchmark, which are the same in each run. A node has eight GPUs and belongs to one of four pools in
 * turn. A pod requests one, two or four GPUs, two on average. Each pod has the affinity that the webhook writes for a tier with all four
 * pools, so the pod may run on any node.
 */
final class ClusterObjects {

    /** The number of GPUs of every node. */
    static final int GPUS_PER_NODE = 8;

    /** The numbers of GPUs that successive pods request. Pods of these sizes fill nodes completely. */
    private static final List<Integer> GPUS = List.of(1, 2, 1, 4, 1, 2, 1, 4);

    private static final String SPOT = "kubernetes.azure.com/scalesetpriority";
    private static final List<Integer> WEIGHTS = List.of(100, 50, 25, 12);

    /** A pool of {@code pools.yaml}. */
    private record Pool(String name, String accelerator, boolean spot, String memory) {

        Map<String, String> labels() {
            return spot
                    ? Map.of("gpu", "true", "accelerator", accelerator, SPOT, "spot")
                    : Map.of("gpu", "true", "accelerator", accelerator);
        }

        List<NodeSelectorRequirement> requirements() {
            return labels().entrySet().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .map(label -> new NodeSelectorRequirement(label.getKey(), "In", List.of(label.getValue())))
                    .toList();
        }
    }

    private static final Pool LIGHT_SPOT = new Pool("light-spot", "k80", true, "436Gi");
    private static final Pool LIGHT_ON_DEMAND = new Pool("light-ondemand", "k80", false, "436Gi");
    private static final Pool HEAVY_SPOT = new Pool("heavy-spot", "v100", true, "660Gi");
    private static final Pool HEAVY_ON_DEMAND = new Pool("heavy-ondemand", "v100", false, "660Gi");

    /** A tier of {@code pools.yaml}. */
    private record Tier(String name, List<Pool> pools) {}

    private static final List<Pool> POOLS = List.of(LIGHT_SPOT, LIGHT_ON_DEMAND, HEAVY_SPOT, HEAVY_ON_DEMAND);
    private static final List<Tier> TIERS = List.of(
            new Tier("light-first", POOLS),
            new Tier("heavy-first", List.of(HEAVY_SPOT, HEAVY_ON_DEMAND, LIGHT_SPOT, LIGHT_ON_DEMAND)));

    private final Pod pod = Serialization.unmarshal(resource("pod.yaml"), Pod.class);

    /** Returns pools and tiers in YAML. */
    static String policy() {
        return resource("pools.yaml");
    }

    /** Returns the total number of GPUs that this many pods request. */
    static int gpus(int pods) {
        int all = 0;
        for (int number = 0; number < pods; number++) {
            all += gpusOf(number);
        }
        return all;
    }

    Node node(int number) {
        var pool = POOLS.get(number % POOLS.size());
        var name = "aks-%s-31415926-vmss%06d".formatted(pool.name().replace("-", ""), number);
        var taints = new ArrayList<Taint>();
        taints.add(new Taint("NoSchedule", ResourceNames.GPU, null, "present"));
        if (pool.spot()) {
            taints.add(new Taint("NoSchedule", SPOT, null, "spot"));
        }
        var resources = Map.of(
                "cpu",
                new Quantity("47500m"),
                "memory",
                new Quantity(pool.memory()),
                ResourceNames.GPU,
                new Quantity(Integer.toString(GPUS_PER_NODE)),
                "pods",
                new Quantity("110"));
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels(pool.labels())
                .addToLabels(Names.POOL, pool.name())
                .addToLabels("kubernetes.io/hostname", name)
                .addToLabels("node.kubernetes.io/instance-type", "Standard_ND40rs_v2")
                .addToLabels("topology.kubernetes.io/zone", "westeurope-" + (1 + number % 3))
                .endMetadata()
                .withNewSpec()
                .withTaints(taints)
                .endSpec()
                .withNewStatus()
                .withAllocatable(resources)
                .withCapacity(resources)
                .endStatus()
                .build();
    }

    static String podName(int number) {
        return "tftrain-%05d".formatted(number);
    }

    Pod pod(String namespace, int number) {
        var tier = TIERS.get(number / GPUS.size() % TIERS.size());
        int gpus = gpusOf(number);
        var gpuQuantity = new Quantity(Integer.toString(gpus));
        return new PodBuilder(pod)
                .editMetadata()
                .withName(podName(number))
                .withNamespace(namespace)
                .addToAnnotations(Names.TIER, tier.name())
                .endMetadata()
                .editSpec()
                .withSchedulerName(Names.SCHEDULER)
                .withNewAffinity()
                .withNewNodeAffinity()
                .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                .withNodeSelectorTerms(tier.pools().stream()
                        .map(pool -> new NodeSelectorTerm(pool.requirements(), List.of()))
                        .toList())
                .endRequiredDuringSchedulingIgnoredDuringExecution()
                .withPreferredDuringSchedulingIgnoredDuringExecution(preferences(tier))
                .endNodeAffinity()
                .endAffinity()
                .editContainer(0)
                .withNewResources()
                .withLimits(Map.of(ResourceNames.GPU, gpuQuantity))
                .withRequests(Map.of(
                        "cpu",
                        new Quantity(4 * gpus + ""),
                        "memory",
                        new Quantity(32 * gpus + "Gi"),
                        ResourceNames.GPU,
                        gpuQuantity))
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }

    private static List<PreferredSchedulingTerm> preferences(Tier tier) {
        var terms = new ArrayList<PreferredSchedulingTerm>();
        for (var pool : tier.pools()) {
            var preference = new NodeSelectorTerm(pool.requirements(), List.of());
            terms.add(new PreferredSchedulingTerm(preference, WEIGHTS.get(terms.size())));
        }
        return terms;
    }

    private static int gpusOf(int pod) {
        return GPUS.get(pod % GPUS.size());
    }

    private static String resource(String name) {
        try (InputStream file = Objects.requireNonNull(ClusterObjects.class.getResourceAsStream(name), name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
