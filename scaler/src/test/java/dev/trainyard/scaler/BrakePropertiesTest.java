package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The number of machines is bounded even if pods demand properties that nodes lack, or nodes differ from their pools' promises. */
class BrakePropertiesTest {

    private static final int WORLDS = Integer.getInteger("trainyard.worlds", 60);
    private static final long SEED = Long.getLong("trainyard.seed", 57);

    private static final List<String> KEYS =
            List.of("topology.kubernetes.io/zone", "cloud.google.com/gke-nodepool", "rack", "type");

    private static final List<String> POOLS = List.of("a", "b", "c");

    /** The first machine of a pool shows whether its machines help. One more may have been requested before this is known. */
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

    @Test
    void requestsAtMostTwoMachinesInVainForEachPodOfGroupsAndGangs() {
        for (int number = 0; number < WORLDS / 2; number++) {
            assertBounded(new Crowd(SEED + number));
        }
    }

    /** One group or gang alone gets one machine for each pod. Pods of another group may take machines that were requested for it. */
    private static void assertBounded(Crowd crowd) {
        for (int generation = 0; generation < 3; generation++) {
            crowd.play(5 * 60, generation);
        }
        for (var pool : POOLS) {
            assertThat(crowd.inVain(pool))
                    .as("machines of pool %s that ran no pod, seed %d: %s", pool, crowd.seed, crowd.groups)
                    .isLessThanOrEqualTo(crowd.pods(pool) * (crowd.groups.size() == 1 ? 1 : TRIES));
        }
    }

    /** Pods of one template. If some of them have not been placed, their controller creates all of those again. */
    private record Group(String name, String tier, int size, boolean gang, boolean refused, Pod template) {

        @Override
        public String toString() {
            return "%s %d of tier %s, %s: %s"
                    .formatted(
                            gang ? "gang of" : "group of",
                            size,
                            tier,
                            refused ? "refused by the scheduler" : "not refused",
                            template.getSpec());
        }

        Pod pod(int index, int generation) {
            var pod = new PodBuilder(template)
                    .editMetadata()
                    .withName("%s-%d-%d".formatted(name, index, generation))
                    .withUid("uid-%s-%d-%d".formatted(name, index, generation));
            if (gang) {
                pod.addToAnnotations(Names.GANG, name).addToAnnotations(Names.GANG_SIZE, Integer.toString(size));
            }
            return pod.endMetadata().build();
        }
    }

    /** A world of several pools, tiers and groups of pods. Some groups are gangs. */
    private static final class Crowd {

        private final long seed;
        private final Random random;
        private final ScalerFixture world;
        private final Map<String, List<String>> tiers = new TreeMap<>();
        private final List<Group> groups = new ArrayList<>();
        private final Set<String> useful = new HashSet<>();

        Crowd(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.world = new ScalerFixture();
            var different = random.nextInt(6);
            var of = POOLS.get(random.nextInt(POOLS.size()));
            boolean all = random.nextBoolean();
            world.asJoined =
                    node -> all || node.getMetadata().getName().startsWith(of + "-") ? joined(node, different) : node;
            for (var pool : POOLS) {
                world.pool(
                        pool,
                        (random.nextBoolean() ? Objects.spot(1) : Objects.onDemand(1))
                                .idleAfter(random.nextBoolean() ? "10s" : "2m"));
            }
            tier("one", 1);
            tier("two", 2);
            tier("all", POOLS.size());
            int number = 1 + random.nextInt(3);
            for (int group = 0; group < number; group++) {
                add("g" + group);
            }
            var refused =
                    groups.stream().filter(Group::refused).map(Group::name).toList();
            world.neverPlaced = pod -> refused.stream()
                    .anyMatch(name -> pod.getMetadata().getName().startsWith(name + "-"));
        }

        private void tier(String name, int pools) {
            var shuffled = new ArrayList<>(POOLS);
            Collections.shuffle(shuffled, random);
            tiers.put(name, shuffled.subList(0, pools));
            world.tier(name, shuffled.subList(0, pools).toArray(String[]::new));
        }

        private void add(String name) {
            var tier = List.copyOf(tiers.keySet()).get(random.nextInt(tiers.size()));
            boolean gang = random.nextBoolean();
            int size = gang ? 2 + random.nextInt(3) : 1 + random.nextInt(3);
            var memory = random.nextBoolean() ? "30Gi" : "4Gi";
            var template = demanding(Objects.waiting(name, tier, "nvidia.com/gpu", "1", "memory", memory), random);
            var group = new Group(name, tier, size, gang, random.nextInt(3) == 0, template);
            groups.add(group);
            for (int index = 0; index < size; index++) {
                world.cluster.add(group.pod(index, 0));
            }
        }

        void play(int seconds, int generation) {
            for (int second = 0; second < seconds; second++) {
                world.second();
                world.cluster.pods.values().stream()
                        .map(pod -> pod.getSpec().getNodeName())
                        .filter(java.util.Objects::nonNull)
                        .forEach(useful::add);
            }
            if (random.nextBoolean()) {
                world.restart();
            }
            replaceWaiting(generation + 1);
        }

        private void replaceWaiting(int generation) {
            for (var pod : List.copyOf(world.cluster.pods.values())) {
                if (pod.getSpec().getNodeName() == null) {
                    var name = pod.getMetadata().getName();
                    var group = name.substring(0, name.indexOf('-'));
                    var index =
                            Integer.parseInt(name.substring(group.length() + 1, name.indexOf('-', group.length() + 1)));
                    world.cluster.pods.remove(name);
                    groups.stream()
                            .filter(one -> one.name().equals(group))
                            .forEach(one -> world.cluster.add(one.pod(index, generation)));
                }
            }
        }

        /** Returns how many pods may use the pool. */
        int pods(String pool) {
            return groups.stream()
                    .filter(group -> tiers.getOrDefault(group.tier(), List.of()).contains(pool))
                    .mapToInt(Group::size)
                    .sum();
        }

        /** Returns how many requested machines of the pool never had a pod. */
        int inVain(String pool) {
            int requested = world.cloud.calls.stream()
                    .filter(call -> call.startsWith("grow " + pool + " "))
                    .map(call -> call.substring(call.lastIndexOf(' ') + 1).split("->"))
                    .mapToInt(sizes -> Integer.parseInt(sizes[1]) - Integer.parseInt(sizes[0]))
                    .sum();
            return requested
                    - (int) useful.stream()
                            .filter(node -> node.startsWith(pool + "-"))
                            .count();
        }
    }

    private static ScalerFixture world(Random random) {
        var world = new ScalerFixture()
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

    /** Replaces deleted pods, as a controller does. */
    private static void replace(ScalerFixture world, int generation) {
        var before =
                world.cluster.pods.remove(world.cluster.pods.keySet().iterator().next());
        world.cluster.add(new PodBuilder(before)
                .editMetadata()
                .withName("odd-" + generation)
                .withUid("uid-odd-" + generation)
                .endMetadata()
                .build());
    }

    private static long requested(ScalerFixture world, String pool) {
        return world.cloud.calls.stream()
                .filter(call -> call.startsWith("grow " + pool + " "))
                .count();
    }
}
