package dev.trainyard.extender.nudge;

import static dev.trainyard.extender.ClusterFixture.CATALOGUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.extender.ClusterFixture;
import dev.trainyard.extender.filter.Filter;
import dev.trainyard.extender.filter.Verdicts;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.node.NodeWatcher;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.PodWatcher;
import dev.trainyard.extender.pod.TieredPod;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** A random test of events in any order, with a scheduler that tries a pod again only if it is nudged. */
class WaitingPodsPropertiesTest {

    private static final List<String> POOLS = List.of("heavy-spot", "heavy-ondemand", "light-spot", "cpu");
    private static final int PODS = 80;
    private static final int NODES = 8;

    @Property(tries = 150)
    void noPodWaitsForNothingAndNoneIsNudgedTooOften(@ForAll long seed) {
        var random = new Random(seed);
        var world = new World(random, List.of(CpuPodsOnGpuNodes.values()).get(random.nextInt(3)));
        for (int step = 0; step < 400; step++) {
            world.step();
        }
        world.settle();

        assertThat(world.waitingForNothing())
                .as("could have a node, and nobody tells")
                .isEmpty();
        world.nudges.forEach((pod, times) -> {
            for (int each = 1; each < times.size(); each++) {
                assertThat(times.get(each).minus(times.get(each - 1)))
                        .as("between two nudges of %s", pod)
                        .isGreaterThanOrEqualTo(NudgeRateLimit.FIRST);
            }
        });
        var all = world.nudges.values().stream().flatMap(List::stream).sorted().toList();
        for (int first = 0; first < all.size(); first++) {
            for (int last = first; last < all.size(); last++) {
                var seconds = all.get(last).minus(all.get(first)).toMillis() / 1000.0;
                assertThat(last - first + 1.0)
                        .isLessThanOrEqualTo(NudgeRateLimit.BURST + NudgeRateLimit.PER_SECOND * seconds + 1e-6);
            }
        }
    }

    private static final class World {
        private final Random random;
        private final NodeIndex index = new NodeIndex(InstantSource.system());
        private final Filter filter;
        private final RefusedPods waiting;
        /** The nodes that were refused to each waiting pod. */
        private final Map<String, List<String>> refused = new HashMap<>();

        private final Map<String, List<Duration>> nudges = new HashMap<>();
        private Catalogue catalogue;
        private Duration now = Duration.ZERO;
        private boolean calm;

        World(Random random, CpuPodsOnGpuNodes cpuPods) {
            this.random = random;
            this.filter = new Filter(InstantSource.system());
            this.waiting = new RefusedPods(new LastResortFilter(filter));
            this.catalogue = CATALOGUE.with(cpuPods);
            index.configure(catalogue);
            index.watch((PodWatcher) waiting);
            index.watch((NodeWatcher) waiting);
            IntStream.range(0, NODES).forEach(this::changeNode);
        }

        void step() {
            switch (random.nextInt(8)) {
                case 0, 1 -> changeNode(random.nextInt(NODES));
                case 2 -> {
                    if (random.nextInt(4) == 0) {
                        editTier();
                    }
                }
                case 3, 4 -> ask(pod(random.nextInt(PODS)), someNodes(), false);
                case 5 -> ask(pod(random.nextInt(PODS)), someNodes(), true);
                default -> turn(Duration.ofMillis(250 + random.nextInt(2) * random.nextInt(3_000)));
            }
        }

        /** Lets time pass without events. It is longer than the longest pause between two nudges plus the time that all nudges take. */
        void settle() {
            calm = true;
            for (int turn = 0; turn < 4 * 300; turn++) {
                turn(Duration.ofMillis(250));
            }
        }

        List<String> waitingForNothing() {
            return refused.keySet().stream()
                    .filter(name -> !judge(podNamed(name), refused.get(name)).leaveNone())
                    .toList();
        }

        private void turn(Duration later) {
            now = now.plus(later);
            for (var pod : waiting.due(now.toNanos(), catalogue, index).pods()) {
                nudges.computeIfAbsent(pod.name(), name -> new ArrayList<>()).add(now);
                if (!calm && random.nextInt(10) == 0) {
                    waiting.failed(pod);
                } else {
                    ask(podNamed(pod.name()), refused.get(pod.name()), !calm && random.nextInt(4) == 0);
                }
            }
        }

        /** @param disturbed whether a change happens between the verdict and the record of it */
        private void ask(Pod pod, List<String> names, boolean disturbed) {
            var tiered = TieredPod.of(PodFacts.of(pod), catalogue);
            var verdicts = judge(pod, names);
            if (disturbed) {
                changeNode(random.nextInt(NODES));
                if (random.nextInt(3) == 0) {
                    editTier();
                }
                if (random.nextBoolean()) {
                    waiting.due(now.toNanos(), catalogue, index).pods().forEach(waiting::failed);
                }
            }
            var name = pod.getMetadata().getName();
            if (verdicts.leaveNone()) {
                refused.put(name, names);
            } else {
                refused.remove(name);
            }
            waiting.filtered(tiered, ClusterFixture.nodes(index, names), verdicts);
        }

        private Verdicts judge(Pod pod, List<String> names) {
            return filter.judge(TieredPod.of(PodFacts.of(pod), catalogue), ClusterFixture.nodes(index, names));
        }

        /** Changes a node's state. No node is removed. */
        private void changeNode(int number) {
            var node = ClusterFixture.node(
                    "node-" + number, POOLS.get(random.nextInt(POOLS.size())), 24, random.nextInt(2) * 4);
            index.put(random.nextBoolean() ? ClusterFixture.removing(node) : node);
        }

        private void editTier() {
            var edited = random.nextBoolean()
                    ? NudgeCatalogues.withHeavyTierOf(POOLS.get(random.nextInt(POOLS.size())))
                    : CATALOGUE;
            catalogue = edited.with(List.of(CpuPodsOnGpuNodes.values()).get(random.nextInt(3)));
            index.configure(catalogue);
        }

        private List<String> someNodes() {
            int first = random.nextInt(NODES);
            return IntStream.rangeClosed(first, Math.min(first + random.nextInt(3), NODES - 1))
                    .mapToObj(number -> "node-" + number)
                    .toList();
        }

        private static Pod podNamed(String name) {
            return pod(Integer.parseInt(name.substring("pod-".length())));
        }

        private static Pod pod(int number) {
            var name = "pod-" + number;
            return switch (number % 4) {
                case 0 -> ClusterFixture.pod(name, "heavy", 1, 1);
                case 1 -> ClusterFixture.pod(name, 1, 0);
                case 2 -> ClusterFixture.pod(name, "cpu", 1, 0);
                default ->
                    ClusterFixture.annotated(ClusterFixture.pod(name, "heavy", 1, 0), "trainyard.dev/gpu-milli", "500");
            };
        }
    }
}
