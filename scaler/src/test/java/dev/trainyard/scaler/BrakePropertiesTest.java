package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Pods demand what nodes may not have, and nodes are not what pools promise: whatever it is, the number of machines is bounded. */
class BrakePropertiesTest {

    private static final int WORLDS = Integer.getInteger("trainyard.worlds", 60);
    private static final long SEED = Long.getLong("trainyard.seed", 57);

    private static final List<String> KEYS =
            List.of("topology.kubernetes.io/zone", "cloud.google.com/gke-nodepool", "rack", "type");

    /** One machine shows whether machines help, and one more may have been requested meanwhile. */
    private static final int TRIES = 2;

    @Test
    void requestsNoMoreThanTwoMachinesOfAPoolForAPod() {
        for (int number = 0; number < WORLDS; number++) {
            var random = new Random(SEED + number);
            var world = world(random);
            var pod = demanding(Objects.waiting("odd", "t", "nvidia.com/gpu", "1", "memory", "30Gi"), random);
            world.cluster.add(pod);
            world.neverPlaced = random.nextInt(4) == 0 ? any -> true : any -> false;
            for (int generation = 0; generation < 3; generation++) {
                world.seconds(5 * 60);
                if (world.placed() == 0 && random.nextBoolean()) {
                    world.restart();
                }
                if (world.placed() == 0) {
                    replace(world, generation);
                }
            }
            for (var pool : List.of("a", "b")) {
                assertThat(requested(world, pool))
                        .as("machines of pool %s, seed %d, pod %s", pool, SEED + number, pod.getSpec())
                        .isLessThanOrEqualTo(TRIES);
            }
        }
    }

    private static World world(Random random) {
        var world = new World()
                .pool("a", Objects.spot(1).idleAfter(random.nextBoolean() ? "10s" : "2m"))
                .pool("b", Objects.onDemand(1).idleAfter("1m"))
                .tier("t", "a", "b");
        var different = random.nextInt(6);
        var of = random.nextBoolean() ? "a" : "";
        world.asJoined = node -> node.getMetadata().getName().startsWith(of) ? joined(node, different) : node;
        return world;
    }

    private static Node joined(Node node, int different) {
        var builder = new NodeBuilder(node);
        return switch (different) {
            case 0 ->
                builder.editStatus()
                        .addToAllocatable("memory", new Quantity("8Gi"))
                        .endStatus()
                        .build();
            case 1 ->
                builder.editMetadata().removeFromLabels("type").endMetadata().build();
            case 2 ->
                builder.editSpec()
                        .withTaints(new Taint("NoSchedule", "dedicated", null, "other"))
                        .endSpec()
                        .build();
            case 3 ->
                builder.editMetadata()
                        .addToLabels(KEYS.get(0), "z1")
                        .endMetadata()
                        .build();
            case 4 ->
                builder.editMetadata()
                        .addToLabels(KEYS.get(2), node.getMetadata().getName())
                        .endMetadata()
                        .build();
            default -> node;
        };
    }

    private static Pod demanding(Pod pod, Random random) {
        var labelled = new PodBuilder(pod)
                .editMetadata()
                .addToLabels("app", "x")
                .endMetadata()
                .build();
        var key = KEYS.get(random.nextInt(KEYS.size()));
        return switch (random.nextInt(6)) {
            case 0 ->
                new PodBuilder(labelled)
                        .editSpec()
                        .addNewTopologySpreadConstraint()
                        .withMaxSkew(1)
                        .withTopologyKey(key)
                        .withWhenUnsatisfiable("DoNotSchedule")
                        .withNewLabelSelector()
                        .addToMatchLabels("app", "x")
                        .endLabelSelector()
                        .endTopologySpreadConstraint()
                        .endSpec()
                        .build();
            case 1 ->
                new PodBuilder(labelled)
                        .editSpec()
                        .withNewAffinity()
                        .withNewPodAffinity()
                        .addNewRequiredDuringSchedulingIgnoredDuringExecution()
                        .withTopologyKey(key)
                        .withNewLabelSelector()
                        .addToMatchLabels("app", random.nextBoolean() ? "x" : "nobody")
                        .endLabelSelector()
                        .endRequiredDuringSchedulingIgnoredDuringExecution()
                        .endPodAffinity()
                        .endAffinity()
                        .endSpec()
                        .build();
            case 2 ->
                new PodBuilder(labelled)
                        .editSpec()
                        .addToNodeSelector(key, "z1")
                        .endSpec()
                        .build();
            case 3 ->
                new PodBuilder(labelled)
                        .editSpec()
                        .withNewAffinity()
                        .withNewNodeAffinity()
                        .withNewRequiredDuringSchedulingIgnoredDuringExecution()
                        .addNewNodeSelectorTerm()
                        .withMatchExpressions(new NodeSelectorRequirement(
                                key, random.nextBoolean() ? "Exists" : "DoesNotExist", List.of()))
                        .endNodeSelectorTerm()
                        .endRequiredDuringSchedulingIgnoredDuringExecution()
                        .endNodeAffinity()
                        .endAffinity()
                        .endSpec()
                        .build();
            case 4 ->
                new PodBuilder(labelled)
                        .editSpec()
                        .editFirstContainer()
                        .editResources()
                        .addToRequests("example.com/fpga", new Quantity("1"))
                        .endResources()
                        .endContainer()
                        .endSpec()
                        .build();
            default -> labelled;
        };
    }

    /** What a controller does with a pod that was deleted. */
    private static void replace(World world, int generation) {
        var before =
                world.cluster.pods.remove(world.cluster.pods.keySet().iterator().next());
        world.cluster.add(new PodBuilder(before)
                .editMetadata()
                .withName("odd-" + generation)
                .withUid("uid-odd-" + generation)
                .endMetadata()
                .build());
    }

    private static long requested(World world, String pool) {
        return world.cloud.calls.stream()
                .filter(call -> call.startsWith("grow " + pool + " "))
                .count();
    }
}
