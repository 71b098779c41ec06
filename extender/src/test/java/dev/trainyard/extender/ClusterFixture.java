package dev.trainyard.extender;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.TieredPod;
import dev.trainyard.runtime.configuration.FileConfiguration;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Nodes and pods for tests, in the pools and tiers of {@code cluster/pools.yaml}. */
public final class ClusterFixture {

    /** A directory with pools, tiers, nodes and a pod. */
    public static final Path FILES = directory("cluster");

    public static final Catalogue CATALOGUE =
            FileConfiguration.read(FILES.resolve("pools.yaml")).current();

    private ClusterFixture() {}

    public static NodeIndex index(Node... nodes) {
        var index = new NodeIndex(InstantSource.system());
        index.configure(CATALOGUE);
        for (var node : nodes) {
            index.put(node);
        }
        return index;
    }

    /** Returns the nodes of a question. */
    public static List<IndexedNode> nodes(NodeIndex index, List<String> names) {
        return names.stream().map(index::node).toList();
    }

    /** Returns a node of no pool. */
    public static Node node(String name, int cpus, int gpus) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewStatus()
                .withAllocatable(amounts(cpus, gpus))
                .endStatus()
                .build();
    }

    public static Node node(String name, String pool, int cpus, int gpus) {
        return new NodeBuilder(node(name, cpus, gpus))
                .editMetadata()
                .addToLabels("trainyard.dev/pool", pool)
                .endMetadata()
                .build();
    }

    public static Node removing(Node node) {
        return new NodeBuilder(node)
                .editMetadata()
                .addToAnnotations("trainyard.dev/removing", "")
                .endMetadata()
                .build();
    }

    public static Pod pod(String name, int cpus, int gpus) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .withUid("uid-of-" + name)
                .endMetadata()
                .withNewSpec()
                .withSchedulerName("trainyard-scheduler")
                .addNewContainer()
                .withName("main")
                .withNewResources()
                .withRequests(amounts(cpus, gpus))
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }

    public static Pod pod(String name, String tier, int cpus, int gpus) {
        return new PodBuilder(pod(name, cpus, gpus))
                .editMetadata()
                .addToAnnotations("trainyard.dev/tier", tier)
                .endMetadata()
                .build();
    }

    /** Returns the pod with one more annotation. */
    public static Pod annotated(Pod pod, String annotation, String value) {
        return new PodBuilder(pod)
                .editMetadata()
                .addToAnnotations(annotation, value)
                .endMetadata()
                .build();
    }

    /** Returns the node with one more label. */
    public static Node labelled(Node node, String label, String value) {
        return new NodeBuilder(node)
                .editMetadata()
                .addToLabels(label, value)
                .endMetadata()
                .build();
    }

    /** Returns the pod with a required affinity that names its node, as a DaemonSet's pods have. */
    public static Pod named(Pod pod, String node) {
        return new PodBuilder(pod)
                .editSpec()
                .withNewAffinity()
                .withNewNodeAffinity()
                .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                .addNewNodeSelectorTerm()
                .addNewMatchField()
                .withKey("metadata.name")
                .withOperator("In")
                .withValues(node)
                .endMatchField()
                .endNodeSelectorTerm()
                .endRequiredDuringSchedulingIgnoredDuringExecution()
                .endNodeAffinity()
                .endAffinity()
                .endSpec()
                .build();
    }

    public static Pod on(String node, Pod pod) {
        return new PodBuilder(pod).editSpec().withNodeName(node).endSpec().build();
    }

    public static Pod inPhase(String phase, Pod pod) {
        return new PodBuilder(pod)
                .editOrNewStatus()
                .withPhase(phase)
                .endStatus()
                .build();
    }

    public static TieredPod tiered(Pod pod) {
        return TieredPod.of(PodFacts.of(pod), CATALOGUE);
    }

    private static Map<String, Quantity> amounts(int cpus, int gpus) {
        var amounts = new HashMap<String, Quantity>();
        amounts.put("cpu", new Quantity(Integer.toString(cpus)));
        amounts.put("memory", new Quantity(cpus + "Gi"));
        if (gpus > 0) {
            amounts.put("nvidia.com/gpu", new Quantity(Integer.toString(gpus)));
        }
        return amounts;
    }

    static Path directory(String name) {
        try {
            return Path.of(ClusterFixture.class.getResource(name).toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
