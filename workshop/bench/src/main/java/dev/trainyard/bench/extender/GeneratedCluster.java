package dev.trainyard.bench.extender;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

/**
 * The nodes and running pods of a generated cluster; the same seed gives the same cluster. Each node has enough free capacity for any pod
 * of {@link ExtenderRequestGenerator}, because the scheduler asks only about nodes that a pod fits. One node in a hundred is being removed,
 * and the filter refuses such nodes. The answers therefore contain both passed and refused nodes. Almost all nodes pass, as in a real
 * cluster: there, the scheduler has already excluded most unsuitable nodes by the affinity that the webhook gave the pod.
 */
final class GeneratedCluster {

    /** GPUs that stay free on every node. */
    static final int ROOM_GPUS = 2;

    private static final String POOLS = "pools.yaml";
    private static final String GPU = "nvidia.com/gpu";
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final int OBJECTS_PER_FILE = 500; // the YAML parser takes files up to 3 MB
    private static final int REMOVING_ONE_IN = 100;
    private static final double SHARE_WITH_PODS = 0.6;

    private record Machine(
            String pool, String accelerator, boolean spot, String type, String cpu, String memory, int gpus) {}

    private static final List<Machine> MACHINES = List.of(
            new Machine("light-spot", "k80", true, "Standard_NC24", "23800m", "218Gi", 4),
            new Machine("light-ondemand", "k80", false, "Standard_NC24", "23800m", "218Gi", 4),
            new Machine("heavy-spot", "v100", true, "Standard_ND40rs_v2", "47500m", "660Gi", 8),
            new Machine("heavy-ondemand", "v100", false, "Standard_ND40rs_v2", "47500m", "660Gi", 8));

    private final List<ObjectNode> nodes = new ArrayList<>();
    private final List<ObjectNode> pods = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final Set<String> removing = new HashSet<>();
    private final Random random;

    GeneratedCluster(int size, long seed) {
        random = new Random(seed);
        for (int number = 0; number < size; number++) {
            var machine = MACHINES.get(random.nextInt(MACHINES.size()));
            var name = "aks-%s-31415926-vmss%06d"
                    .formatted(machine.pool().replace("-ondemand", "reg").replace("-", ""), number);
            names.add(name);
            nodes.add(node(name, machine, number % REMOVING_ONE_IN == REMOVING_ONE_IN / 2));
            if (random.nextDouble() < SHARE_WITH_PODS) {
                fill(name, machine);
            }
        }
    }

    /** Returns the names of all nodes. */
    List<String> names() {
        return List.copyOf(names);
    }

    /** Whether the scaler is removing the node. */
    boolean isRemoving(String name) {
        return removing.contains(name);
    }

    /** Writes nodes, pods, pools and tiers to files, in the format of {@code --resources}. */
    void write(Path directory) {
        try (InputStream pools = Objects.requireNonNull(GeneratedCluster.class.getResourceAsStream(POOLS), POOLS)) {
            Files.copy(pools, directory.resolve(POOLS));
            write(directory, "nodes", nodes);
            write(directory, "pods", pods);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(Path directory, String what, List<ObjectNode> objects) throws IOException {
        for (int from = 0; from < objects.size(); from += OBJECTS_PER_FILE) {
            var list = JSON.objectNode().put("apiVersion", "v1").put("kind", "List");
            list.putArray("items").addAll(objects.subList(from, Math.min(from + OBJECTS_PER_FILE, objects.size())));
            var file = directory.resolve("%s-%02d.json".formatted(what, from / OBJECTS_PER_FILE));
            new ObjectMapper().writeValue(file.toFile(), list);
        }
    }

    private ObjectNode node(String name, Machine machine, boolean goes) {
        var node = JSON.objectNode().put("apiVersion", "v1").put("kind", "Node");
        var metadata = node.putObject("metadata").put("name", name);
        var labels = metadata.putObject("labels")
                .put(Names.POOL, machine.pool())
                .put("gpu", "true")
                .put("accelerator", machine.accelerator())
                .put("node.kubernetes.io/instance-type", machine.type())
                .put("topology.kubernetes.io/zone", "westeurope-" + (1 + random.nextInt(3)))
                .put("kubernetes.io/hostname", name);
        var taints = node.putObject("spec").putArray("taints");
        taint(taints.addObject(), GPU, "present");
        if (machine.spot()) {
            labels.put("kubernetes.azure.com/scalesetpriority", "spot");
            taint(taints.addObject(), "kubernetes.azure.com/scalesetpriority", "spot");
        }
        if (goes) {
            removing.add(name);
            metadata.putObject("annotations").put(Names.REMOVING, "2026-11-20T10:00:00Z");
        }
        var status = node.putObject("status");
        status.putObject("allocatable")
                .put("cpu", machine.cpu())
                .put("memory", machine.memory())
                .put(GPU, Integer.toString(machine.gpus()))
                .put("pods", "110");
        status.putArray("conditions").addObject().put("type", "Ready").put("status", "True");
        return node;
    }

    private static void taint(ObjectNode taint, String key, String value) {
        taint.put("key", key).put("value", value).put("effect", "NoSchedule");
    }

    /** Adds pods of one to four GPUs to a node, and leaves at least {@link #ROOM_GPUS} GPUs free. */
    private void fill(String node, Machine machine) {
        int left = 1 + random.nextInt(machine.gpus() - ROOM_GPUS);
        while (left > 0) {
            int gpus = Math.min(left, 1 << random.nextInt(3));
            left -= gpus;
            pods.add(pod(node, gpus));
        }
    }

    private ObjectNode pod(String node, int gpus) {
        var pod = JSON.objectNode().put("apiVersion", "v1").put("kind", "Pod");
        pod.putObject("metadata").put("name", "running-" + pods.size()).put("namespace", "training");
        // The extender learns the usual requests from these pods. Without them, the extender's scoring policy would
        // have no data.
        var spec = pod.putObject("spec").put("nodeName", node).put("schedulerName", Names.SCHEDULER);
        var resources =
                spec.putArray("containers").addObject().put("name", "main").putObject("resources");
        resources.putObject("limits").put(GPU, Integer.toString(gpus));
        resources
                .putObject("requests")
                .put("cpu", gpus * (1000 + 250 * random.nextInt(13)) + "m")
                .put("memory", gpus * (4 + random.nextInt(29)) + "Gi")
                .put(GPU, Integer.toString(gpus));
        pod.putObject("status").put("phase", "Running");
        return pod;
    }
}
