package dev.trainyard.webhook.decision;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.GpuSpec;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.api.TrainingPoolSpec.TaintSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierSpec.CheckpointSpec;
import dev.trainyard.core.api.TrainingTierSpec.DefaultFor;
import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import dev.trainyard.core.api.TrainingTierSpec.DriverSpec;
import dev.trainyard.core.api.TrainingTierSpec.GangStart;
import dev.trainyard.core.api.TrainingTierSpec.GpuRange;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.webhook.checkpoint.AnnotationsFile;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Random pools, tiers, nodes and pods. Keys and values come from a few letters, so that pods, pools and nodes often match. Every odd form
 * of a pod occurs.
 */
public final class RandomCluster {

    private static final List<String> KEYS = List.of("a", "b", "c");
    private static final List<String> VALUES = List.of("0", "1", "2");
    private static final List<String> VOLUMES =
            List.of("bin", "lib", "libcuda", "trainyard-bin", "annotations", "data");
    private static final List<String> PLACES = List.of(
            "/usr/lib/nvidia",
            "/usr/local/nvidia/bin/",
            "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
            "/data",
            "/usr/local/nvidia",
            "/usr//lib/nvidia/settings",
            "/etc/trainyard/",
            "/etc",
            "/usr/lib/x86_64-linux-gnu");
    private static final List<String> HOST_PATHS = List.of("/usr/lib/nvidia-384", "/usr/lib/nvidia-384/bin/", "/data");
    private static final List<String> LIBRARIES = List.of("/data", "/opt/libx.so", "/opt/liby.so.1");
    private static final List<@Nullable GpuSpec> KINDS = Arrays.asList(
            new GpuSpec("Tesla-K80", "12Gi"),
            new GpuSpec("Tesla-V100-SXM2-16GB", "16Gi"),
            new GpuSpec("NVIDIA-A100-SXM4-40GB", "40Gi"),
            new GpuSpec("NVIDIA-RTX-A1000", null),
            new GpuSpec(null, "24Gi"),
            null);
    private static final List<String> PRODUCTS = List.of("K80", "v100|A100", "A100", "H100");
    private static final List<String> MEMORIES = List.of("12Gi", "16G", "20480Mi", "64Gi");
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final Random random;

    public RandomCluster(Random random) {
        this.random = random;
    }

    public Catalogue catalogue() {
        var pools = pools();
        return Catalogue.of(pools, tiers(pools.keySet()));
    }

    /** Returns the specs of random pools, by name. */
    public Map<String, TrainingPoolSpec> pools() {
        var pools = new TreeMap<String, TrainingPoolSpec>();
        for (var name : List.of("p0", "p1", "p2", "p3")) {
            pools.put(name, pool());
        }
        return pools;
    }

    /** Returns the specs of random tiers of these pools, by name. */
    public Map<String, TrainingTierSpec> tiers(Set<String> pools) {
        var tiers = new TreeMap<String, TrainingTierSpec>();
        for (var name : List.of("t0", "t1", "t2")) {
            var list = new ArrayList<>(pools.stream().filter(pool -> chance(2)).toList());
            Collections.shuffle(list, random);
            var range = new GpuRange(1 + random.nextInt(3), chance(2) ? null : 3 + random.nextInt(4));
            tiers.put(
                    name,
                    TrainingTierSpec.builder(list.isEmpty() ? List.of("p0") : list)
                            .equallyPreferred(list.size() > 2 && chance(2) ? List.of(list.subList(0, 2)) : null)
                            .defaultFor(chance(2) ? new DefaultFor(range) : null)
                            .driver(new DriverSpec(
                                    pick(Arrays.asList(DriverMode.values())), null, null, some(LIBRARIES)))
                            .checkpoint(chance(2) ? new CheckpointSpec(chance(2) ? null : "90s", chance(2)) : null)
                            .gangs(chance(2) ? GangStart.WHOLE : null)
                            .build());
        }
        return tiers;
    }

    private TrainingPoolSpec pool() {
        var taints = VALUES.stream()
                .filter(value -> chance(4))
                .map(value ->
                        new TaintSpec(pick(KEYS), chance(3) ? null : value, pick(List.of("NoSchedule", "NoExecute"))))
                .toList();
        var promise =
                new PromiseSpec(labels(2), taints, Map.of("nvidia.com/gpu", new Quantity("4")), null, pick(KINDS));
        var provider = new ProviderSpec(null, null, null, new ProviderSpec.Kwok(null, null, null, null));
        return new TrainingPoolSpec(provider, CapacityType.SPOT, null, null, null, promise, null, null, null);
    }

    /** Returns a node without taints. It has the labels of a pool, labels of its own, or both. */
    NodeShape node(Catalogue catalogue) {
        var labels = new HashMap<>(labels(2));
        if (chance(2)) {
            var pool = pick(List.copyOf(catalogue.pools().values()));
            labels.putAll(pool.promise().labels());
        }
        if (chance(3)) {
            labels.remove(Names.POOL);
        }
        return new NodeShape("n" + random.nextInt(3), labels, List.of(), true, Resources.NONE);
    }

    /** Returns {@link #pod()} with its missing parts added. An API server accepts most of these pods, and most containers ask for GPUs. */
    public ObjectNode creatablePod() {
        var pod = pod();
        var spec = (ObjectNode) pod.path("spec");
        var volumes = new TreeSet<String>();
        for (var containers : List.of("containers", "initContainers")) {
            for (var item : spec.path(containers)) {
                var container = (ObjectNode) item;
                container
                        .put(
                                "name",
                                containers.charAt(0) + container.path("name").asText())
                        .put("image", "train");
                if (!chance(12)) {
                    fixGpus(container);
                }
                if (containers.equals("containers") && !chance(12)) {
                    container.remove("restartPolicy"); // until Kubernetes 1.34 only init containers have one
                }
                container
                        .path("volumeMounts")
                        .forEach(mount -> volumes.add(mount.path("name").asText()));
            }
        }
        spec.path("volumes")
                .forEach(volume -> volumes.remove(volume.path("name").asText()));
        if (!volumes.isEmpty() && !chance(12)) {
            var list = spec.path("volumes") instanceof ArrayNode present ? present : spec.putArray("volumes");
            volumes.forEach(name -> volume(list.addObject(), name));
        }
        return pod;
    }

    /** Sets the only form of GPU resources that the API server accepts: the current name, with limits equal to requests. */
    private void fixGpus(ObjectNode container) {
        var gpus = Integer.toString(1 + random.nextInt(3));
        if (!container.path("resources").isObject()) {
            if (chance(2)) {
                return;
            }
            container.putObject("resources");
        }
        for (var list : List.of("limits", "requests")) {
            var amounts = container.withObject("/resources/" + list);
            amounts.remove("alpha.kubernetes.io/nvidia-gpu");
            if (list.equals("limits") || amounts.has("nvidia.com/gpu") || chance(2)) {
                amounts.put("nvidia.com/gpu", gpus);
            }
        }
    }

    public ObjectNode pod() {
        var pod = NODES.objectNode().put("apiVersion", "v1").put("kind", "Pod").put("unknown", 1);
        var metadata = pod.putObject("metadata").put("generateName", "train-");
        if (chance(2)) {
            metadata.putObject("annotations").put("other", "kept");
        } else if (chance(4)) {
            metadata.putNull("annotations");
        }
        if (chance(2)) {
            metadata.withObject("/annotations").put(Names.TIER, pick(List.of("t0", "t1", "t2")));
        }
        if (chance(4)) {
            metadata.withObject("/annotations").put(Names.GPU_PRODUCT, pick(PRODUCTS));
        }
        if (chance(4)) {
            metadata.withObject("/annotations").put(Names.GPU_MEMORY, pick(MEMORIES));
        }
        var spec = pod.putObject("spec");
        spec.putObject("futureField").putNull("x").putArray("y").add(1.5);
        containers(spec.putArray("containers"), 1 + random.nextInt(2));
        if (chance(3)) {
            containers(spec.putArray("initContainers"), 1 + random.nextInt(2));
        }
        listOrNot(spec, "volumes", VOLUMES.size(), (list, index) -> volume(list.addObject(), VOLUMES.get(index)));
        listOrNot(spec, "tolerations", 2, (list, index) -> toleration(list.addObject()));
        if (chance(3)) {
            var selector = spec.putObject("nodeSelector");
            labels(1).forEach(selector::put);
        }
        if (chance(2)) {
            affinity(spec.putObject("affinity"));
        }
        if (chance(3)) {
            spec.put("terminationGracePeriodSeconds", pick(List.of(0, 30, 600)));
        }
        if (chance(3)) {
            spec.put("schedulerName", pick(List.of("default-scheduler", "volcano", "trainyard-scheduler")));
        }
        if (chance(2)) {
            gang(metadata.withObject("/annotations"), spec);
        }
        return pod;
    }

    /** Adds a gang, gates that hold the pod, or another reason not to hold it. */
    private void gang(ObjectNode annotations, ObjectNode spec) {
        if (!chance(4)) {
            annotations.put(Names.GANG, chance(5) ? "none" : "g");
        }
        if (!chance(4)) {
            annotations.put(Names.GANG_SIZE, pick(List.of("2", "many")));
        }
        if (chance(6)) {
            spec.putObject("schedulingGroup").put("podGroupName", "g");
        }
        if (chance(3)) {
            var gates = spec.putArray("schedulingGates");
            List.of("example.com/other", Names.GANG_GATE).stream()
                    .filter(gate -> chance(2))
                    .forEach(gate -> gates.addObject().put("name", gate));
        } else if (chance(6)) {
            spec.putNull("schedulingGates");
        }
    }

    private void containers(ArrayNode containers, int count) {
        for (int index = 0; index < count; index++) {
            var container = containers.addObject().put("name", "c" + index).put("newField", true);
            if (chance(5)) {
                container.put("restartPolicy", "Always");
            }
            gpus(container);
            listOrNot(container, "env", 2, (list, i) -> variable(list.addObject()));
            listOrNot(
                    container,
                    "volumeMounts",
                    PLACES.size(),
                    (list, i) -> list.addObject().put("name", pick(VOLUMES)).put("mountPath", PLACES.get(i)));
        }
    }

    private void gpus(ObjectNode container) {
        var gpus = Integer.toString(random.nextInt(4));
        var name = chance(2) ? "nvidia.com/gpu" : "alpha.kubernetes.io/nvidia-gpu";
        switch (random.nextInt(5)) {
            case 0 -> container.putObject("resources").putObject("limits").put(name, gpus);
            case 1 ->
                container
                        .putObject("resources")
                        .putObject("requests")
                        .put("cpu", 1)
                        .put(name, gpus);
            case 2 -> {
                var resources = container.putObject("resources").put("newField", 1);
                resources.putObject("requests").put(name, gpus);
                resources.putObject("limits").put(name, gpus).put("memory", "1Gi");
            }
            case 3 -> container.putNull("resources");
            default -> {}
        }
    }

    private void variable(ObjectNode variable) {
        variable.put("name", chance(2) ? "LD_LIBRARY_PATH" : "EPOCHS");
        switch (random.nextInt(4)) {
            case 0 -> variable.put("value", "/opt/lib");
            case 1 -> variable.put("value", "/usr/lib/nvidia:/opt/lib");
            case 2 -> variable.putObject("valueFrom").putObject("fieldRef").put("fieldPath", "metadata.name");
            default -> {}
        }
    }

    private void volume(ObjectNode volume, String name) {
        volume.put("name", name);
        if (chance(4)) {
            volume.setAll(new AnnotationsFile().source());
        } else if (chance(2)) {
            volume.putObject("emptyDir");
        } else {
            volume.putObject("hostPath").put("path", pick(HOST_PATHS)).put("type", "");
        }
    }

    private void toleration(ObjectNode toleration) {
        if (chance(4)) {
            toleration.put("operator", "Exists");
            return;
        }
        toleration.put("key", pick(KEYS)).put("operator", chance(3) ? "Exists" : "Equal");
        if (toleration.path("operator").asText().equals("Equal")) {
            toleration.put("value", pick(VALUES));
        }
        if (chance(2)) {
            toleration.put("effect", pick(List.of("NoSchedule", "NoExecute")));
        }
    }

    private void affinity(ObjectNode affinity) {
        if (chance(4)) {
            affinity.putObject("podAntiAffinity");
        }
        if (chance(4)) {
            affinity.putNull("nodeAffinity");
            return;
        }
        var node = affinity.putObject("nodeAffinity");
        if (chance(2)) {
            node.putArray("preferredDuringSchedulingIgnoredDuringExecution")
                    .addObject()
                    .put("weight", 7)
                    .set("preference", term());
        }
        if (chance(2)) {
            var terms = node.putObject("requiredDuringSchedulingIgnoredDuringExecution")
                    .putArray("nodeSelectorTerms");
            for (int count = 1 + random.nextInt(3); count > 0; count--) {
                terms.add(term());
            }
        }
    }

    private ObjectNode term() {
        var term = NODES.objectNode();
        if (chance(5)) {
            return term; // matches nothing
        }
        if (chance(4)) {
            requirement(term.putArray("matchFields"), "metadata.name", "In", List.of("n1"));
        }
        if (!term.has("matchFields") || chance(2)) {
            var expressions = term.putArray("matchExpressions");
            for (int count = 1 + random.nextInt(2); count > 0; count--) {
                var operator = pick(List.of("In", "NotIn", "Exists", "DoesNotExist", "Gt"));
                requirement(
                        expressions,
                        pick(KEYS),
                        operator,
                        switch (operator) {
                            case "In", "NotIn" -> chance(2) ? List.of(pick(VALUES)) : List.of("0", "1");
                            case "Gt" -> List.of(pick(VALUES));
                            default -> List.of();
                        });
            }
        }
        return term;
    }

    private static void requirement(ArrayNode list, String key, String operator, List<String> values) {
        var requirement = list.addObject().put("key", key).put("operator", operator);
        if (!values.isEmpty()) {
            values.forEach(requirement.putArray("values")::add);
        }
    }

    private Map<String, String> labels(int oneIn) {
        var labels = new TreeMap<String, String>();
        KEYS.stream().filter(key -> chance(oneIn)).forEach(key -> labels.put(key, pick(VALUES)));
        return labels;
    }

    private interface Item {
        void add(ArrayNode list, int index);
    }

    /** Adds a list that is absent, null, empty, or has at most {@code most} items. */
    private void listOrNot(ObjectNode parent, String name, int most, Item item) {
        if (chance(3)) {
            return;
        }
        if (chance(6)) {
            parent.putNull(name);
            return;
        }
        var list = parent.putArray(name);
        for (int index = 0; index < most; index++) {
            if (chance(2)) {
                item.add(list, index);
            }
        }
    }

    private boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private <T> List<T> some(List<T> list) {
        return list.stream().filter(item -> chance(2)).toList();
    }

    private <T> T pick(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }
}
