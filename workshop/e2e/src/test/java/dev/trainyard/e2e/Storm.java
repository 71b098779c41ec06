package dev.trainyard.e2e;

import static dev.trainyard.e2e.TestPod.named;

import dev.trainyard.core.gpu.GpuKind;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Random nodes in several pools, and a burst of random pods. Some of the pods are deleted again. The same seed gives the same storm. */
final class Storm {

    static final String HIGH_PRIORITY = "storm-high";

    private static final List<String> PRODUCTS = List.of("Tesla-K80", "Tesla-V100-PCIE-16GB", "NVIDIA-A100-SXM4-40GB");
    private static final List<String> WISHES = List.of("K80", "V100", "A100", "V100|A100");
    private static final int PODS = 40;

    /** @param pool null for a machine without a pool, which has no GPUs */
    record Machine(String name, @Nullable String pool, String product, int gpus) {}

    private final Random random;
    private final String name;
    private final TestFleet fleet;
    private final Map<String, Machine> machines = new LinkedHashMap<>();
    private final Map<String, List<String>> tiers = new HashMap<>();

    Storm(long seed, TestFleet fleet) {
        this.random = new Random(seed);
        this.name = "storm-" + seed;
        this.fleet = fleet;
    }

    /** Creates pools, tiers and nodes. */
    void gather() {
        fleet.priorityClass(HIGH_PRIORITY, 1000);
        var pools = new ArrayList<String>();
        for (var product : PRODUCTS) {
            var pool = name + "-pool-" + pools.size();
            fleet.pool(pool, 8, Map.of(GpuKind.PRODUCT_LABEL, product));
            pools.add(pool);
        }
        for (int number = 0; number < 3; number++) {
            var order = new ArrayList<>(pools);
            Collections.shuffle(order, random);
            tiers.put(name + "-tier-" + number, order.subList(0, 1 + random.nextInt(pools.size())));
        }
        tiers.forEach(fleet::tier);
        add(new Machine(name + "-plain", null, "", 0));
        int nodes = 4 + random.nextInt(4);
        for (int number = 0; number < nodes; number++) {
            int pool = number % pools.size();
            add(new Machine(name + "-" + number, pools.get(pool), PRODUCTS.get(pool), 1 + random.nextInt(8)));
        }
    }

    /**
     * Creates the pods, and deletes some of them.
     *
     * @param meanwhile called after the creation of each pod, with the pod's number
     */
    void blow(Consumer<Integer> meanwhile) {
        var there = new ArrayList<Pod>();
        for (int number = 0; number < PODS; number++) {
            there.add(fleet.make(pod(number)));
            if (random.nextInt(4) == 0) {
                fleet.delete(there.remove(random.nextInt(there.size())));
            }
            meanwhile.accept(number);
        }
    }

    Map<String, Integer> gpusOfNodes() {
        var gpus = new HashMap<String, Integer>();
        machines.values().forEach(machine -> gpus.put(machine.name(), machine.gpus()));
        return gpus;
    }

    /** Whether each pod has a node, or is explained as pending while no allowed node has enough free GPUs. */
    boolean hasSettled() {
        var pods = fleet.pods();
        var free = gpusOfNodes();
        pods.stream()
                .filter(Storm::isPlaced)
                .forEach(pod -> free.merge(pod.getSpec().getNodeName(), -GpuLedger.gpusOf(pod), Integer::sum));
        return pods.stream()
                .allMatch(pod -> pod.getMetadata().getDeletionTimestamp() == null
                        && (isPlaced(pod)
                                || (isExplained(pod)
                                        && machines.values().stream()
                                                .noneMatch(machine -> isAllowed(pod, machine)
                                                        && free.get(machine.name()) >= GpuLedger.gpusOf(pod)))));
    }

    /** Whether the pod's tier and GPU wish, and the reservation of GPU nodes, allow the pod on its node. */
    boolean isWhereItMayBe(Pod pod) {
        return isAllowed(pod, machines.get(pod.getSpec().getNodeName()));
    }

    static boolean isPlaced(Pod pod) {
        return pod.getSpec().getNodeName() != null;
    }

    /** Whether the scheduler has explained why the pod has no node. */
    static boolean isExplained(Pod pod) {
        return pod.getStatus().getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("PodScheduled")
                        && condition.getStatus().equals("False")
                        && "Unschedulable".equals(condition.getReason())
                        && condition.getMessage() != null
                        && condition.getMessage().startsWith("0/"));
    }

    private void add(Machine machine) {
        machines.put(machine.name(), machine);
        var labels = new HashMap<String, String>();
        if (machine.pool() != null) {
            labels.put("trainyard.dev/pool", machine.pool());
            // Some nodes have no product label; only the pool's promise has it.
            if (random.nextBoolean()) {
                labels.put(GpuKind.PRODUCT_LABEL, machine.product());
            }
        }
        fleet.node(machine.name(), machine.gpus(), labels);
    }

    private TestPod pod(int number) {
        var pod = named("pod-" + number).gpus(random.nextInt(5));
        if (random.nextInt(3) > 0) {
            pod.tier(name + "-tier-" + random.nextInt(tiers.size()));
        }
        if (random.nextInt(4) == 0) {
            pod.annotated("gpu-product", WISHES.get(random.nextInt(WISHES.size())));
        }
        if (random.nextInt(5) == 0) {
            pod.priority(HIGH_PRIORITY);
        }
        return pod;
    }

    private boolean isAllowed(Pod pod, Machine machine) {
        var annotations = pod.getMetadata().getAnnotations() == null
                ? Map.<String, String>of()
                : pod.getMetadata().getAnnotations();
        var wish = annotations.get("trainyard.dev/gpu-product");
        if (wish != null && List.of(wish.split("\\|")).stream().noneMatch(machine.product()::contains)) {
            return false;
        }
        var pools = tiers.getOrDefault(annotations.getOrDefault("trainyard.dev/tier", ""), List.of());
        if (machine.pool() != null && !pools.isEmpty()) {
            return pools.contains(machine.pool());
        }
        return machine.pool() == null || GpuLedger.gpusOf(pod) > 0;
    }
}
