package dev.trainyard.scaler.lifecycle;

import static dev.trainyard.scaler.Objects.onDemand;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.Removal;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Properties that hold for any nodes. The seed is fixed; a failure names the seed that broke a property. */
class LifecyclePropertiesTest {

    private static final int YARDS = Integer.getInteger("trainyard.yards", 400);
    private static final long SEED = Long.getLong("trainyard.seed", 7);

    @Test
    void everyNodeHasOneStateAndAReason() {
        forAll((testCluster, verdicts) -> {
            assertThat(verdicts)
                    .extracting(verdict -> verdict.node().name())
                    .containsExactlyElementsOf(testCluster.snapshot().nodes().stream()
                            .map(NodeView::name)
                            .toList());
            assertThat(verdicts)
                    .allSatisfy(verdict -> assertThat(verdict.reason()).isNotBlank());
        });
    }

    @Test
    void noPoolLosesMoreThanItsMinimumAndItsSparesAllow() {
        forAll((testCluster, verdicts) -> {
            for (var pool : testCluster.snapshot().pools().values()) {
                var before = working(verdicts, pool.name());
                var after = before.stream().filter(v -> !goes(v)).toList();
                assertThat(after)
                        .hasSizeGreaterThanOrEqualTo(
                                Math.min(before.size(), pool.pool().min()));
                long idleBefore = before.stream().filter(v -> isIdle(v)).count();
                long idleAfter = after.stream().filter(v -> isIdle(v)).count();
                assertThat(idleAfter)
                        .isGreaterThanOrEqualTo(Math.min(idleBefore, pool.pool().spare()));
            }
        });
    }

    @Test
    void noMachineGoesWithSomethingOnItThatMustNotBeInterrupted() {
        forAll((testCluster, verdicts) -> verdicts.stream()
                .filter(verdict -> goes(verdict) || verdict.step() instanceof Verdict.Evict)
                .forEach(verdict -> assertThat(verdict.node().trainingPods())
                        .noneMatch(pod -> pod.blocker(testCluster.now).isPresent())));
    }

    @Test
    void noMachineIsOrderedToGoWhileATrainingIsOnIt() {
        forAll((testCluster, verdicts) -> verdicts.stream()
                .filter(verdict -> verdict.step() instanceof Verdict.Terminate)
                .forEach(verdict -> assertThat(verdict.node().trainingPods()).isEmpty()));
    }

    /** All machines and pods are of one kind, with one GPU for each pod, so any free GPU is enough. */
    @Test
    void whatIsOnMachinesThatAreEmptiedFitsOnThoseThatStay() {
        forAll((testCluster, verdicts) -> {
            var emptied =
                    verdicts.stream().filter(LifecyclePropertiesTest::isEmptied).toList();
            long moved = emptied.stream()
                    .mapToLong(verdict -> verdict.node().used().gpus())
                    .sum();
            long room = verdicts.stream()
                    .filter(verdict -> !goes(verdict)
                            && verdict.node().cordon().isOpen()
                            && verdict.node().usable()
                            && (!verdict.node().trainingPods().isEmpty() || verdict.state() == NodeState.ASG_MIN_SIZE))
                    .mapToLong(verdict -> verdict.node().shape().allocatable().gpus()
                            - verdict.node().used().gpus())
                    .sum();
            assertThat(moved).isLessThanOrEqualTo(room);
        });
    }

    @Test
    void someGoWheneverSomeMay() {
        forAll((testCluster, verdicts) -> {
            for (var pool : testCluster.snapshot().pools().values()) {
                var mine = of(verdicts, pool.name());
                boolean someMay = mine.stream().anyMatch(verdict -> verdict.state() == NodeState.IDLE_SCHEDULABLE);
                boolean someGo = mine.stream()
                        .anyMatch(verdict -> goes(verdict)
                                || verdict.node().marks().removal().isPresent());
                assertThat(!someMay || someGo).isTrue();
            }
        });
    }

    @Test
    void aMalformedNodeChangesNothingForTheOthers() {
        forAll((testCluster, verdicts) -> {
            nodes(testCluster)
                    .node(
                            "zz-malformed",
                            node -> node.editStatus()
                                    .addToAllocatable("cpu", new Quantity("lots"))
                                    .endStatus());
            var others = Lifecycle.judge(testCluster.snapshot(), Set.of()).stream()
                    .filter(verdict -> !verdict.node().name().equals("zz-malformed"))
                    .map(LifecyclePropertiesTest::words)
                    .toList();
            assertThat(others)
                    .isEqualTo(verdicts.stream()
                            .map(LifecyclePropertiesTest::words)
                            .toList());
        });
    }

    private static String words(Verdict verdict) {
        return verdict.node().name() + verdict.state() + verdict.step().getClass();
    }

    private static boolean goes(Verdict verdict) {
        return verdict.step() instanceof Verdict.Cordon;
    }

    private static boolean isEmptied(Verdict verdict) {
        return verdict.step() instanceof Verdict.Cordon cordon
                && cordon.removal().reason() == Removal.Reason.UNDER_UTILIZED;
    }

    private static boolean isIdle(Verdict verdict) {
        return verdict.node().trainingPods().isEmpty();
    }

    private static List<Verdict> of(List<Verdict> verdicts, String pool) {
        return verdicts.stream()
                .filter(verdict ->
                        verdict.node().pool().filter(p -> p.name().equals(pool)).isPresent())
                .toList();
    }

    /** Returns the nodes that pods can be placed on. */
    private static List<Verdict> working(List<Verdict> verdicts, String pool) {
        return of(verdicts, pool).stream()
                .filter(verdict -> verdict.node().usable()
                        && verdict.node().cordon().isOpen()
                        && verdict.node().marks().removal().isEmpty())
                .toList();
    }

    private static void forAll(BiConsumer<SnapshotFixture, List<Verdict>> property) {
        for (int i = 0; i < YARDS; i++) {
            long seed = SEED + i;
            try {
                var testCluster = testCluster(new Random(seed));
                property.accept(testCluster, Lifecycle.judge(testCluster.snapshot(), Set.of()));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("with -Dtrainyard.seed=%d -Dtrainyard.yards=1".formatted(seed), e);
            }
        }
    }

    private static final Map<SnapshotFixture, Nodes> NODES = new WeakHashMap<>();

    private static Nodes nodes(SnapshotFixture testCluster) {
        return NODES.computeIfAbsent(testCluster, Nodes::new);
    }

    private static SnapshotFixture testCluster(Random random) {
        var testCluster = new SnapshotFixture();
        var nodes = new Nodes(testCluster);
        NODES.put(testCluster, nodes);
        for (var pool : List.of("p", "q")) {
            testCluster.pool(
                    pool,
                    onDemand(4).min(random.nextInt(4)).spare(random.nextInt(3)).price("" + random.nextInt(3)));
        }
        int count = random.nextInt(24);
        for (int i = 0; i < count; i++) {
            node(nodes, "n%02d".formatted(i), random.nextBoolean() ? "p" : "q", random);
        }
        return testCluster;
    }

    private static void node(Nodes nodes, String name, String pool, Random random) {
        var since = Objects.NOON.minusSeconds(random.nextInt(1200)).toString();
        var marks = new ArrayList<>(List.of("usable-since", Nodes.LONG_AGO));
        int pods = Math.max(0, random.nextInt(6) - 2);
        marks.addAll(List.of(pods == 0 ? "idle-since" : "under-utilized-since", since));
        int kind = random.nextInt(10);
        if (kind == 0) {
            var reason =
                    List.of("idle", "under-utilized", "launch-timeout", "dead").get(random.nextInt(4));
            marks.addAll(List.of("removing", reason + ", " + since + ", taint"));
        }
        boolean tainted = kind == 0;
        boolean cordoned = kind == 1 || (kind == 0 && random.nextInt(4) == 0);
        boolean silent = kind == 2;
        nodes.node(name, pool, node -> {
            var marked = Nodes.marked(marks.toArray(String[]::new)).apply(node);
            if (tainted) {
                marked.editSpec()
                        .addNewTaint("NoSchedule", "trainyard.dev/removing", null, null)
                        .endSpec();
            }
            if (cordoned) {
                marked.editSpec().withUnschedulable(true).endSpec();
            }
            return silent ? Nodes.notReady(marked) : marked;
        });
        for (int i = 0; i < pods; i++) {
            nodes.testCluster.running(name + "-" + i, name, "nvidia.com/gpu", "1");
            if (random.nextInt(8) == 0) {
                nodes.lastPod(pod -> pod.editMetadata().withOwnerReferences().endMetadata());
            }
        }
    }
}
