package dev.trainyard.scaler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Properties that hold for any cluster. The seed is fixed; a failure names the seed that broke a property. */
class PlannerPropertiesTest {

    private static final int YARDS = Integer.getInteger("trainyard.yards", 300);
    /** To the planner, a held machine is like a deleted one. */
    private static final Machine.State[] STATES = {
        Machine.State.CREATING, Machine.State.RUNNING, Machine.State.DELETING, Machine.State.FAILED
    };

    private static final long SEED = Long.getLong("trainyard.seed", 42);

    @Test
    void staysWithinMinimumAndMaximum() {
        forAll(testCluster -> {
            for (var growth : Planner.plan(testCluster.snapshot()).growths()) {
                assertThat(growth.to())
                        .isGreaterThan(growth.from())
                        .isLessThanOrEqualTo(growth.pool().max());
            }
        });
    }

    @Test
    void givesEveryWaitingPodExactlyOneOutcome() {
        forAll(testCluster -> {
            var snapshot = testCluster.snapshot();
            var plan = Planner.plan(snapshot);
            assertThat(plan.outcomes().keySet())
                    .containsExactlyInAnyOrderElementsOf(
                            snapshot.waiting().stream().map(pod -> pod.uid()).toList());
            assertThat(plan.outcomes().values())
                    .allSatisfy(outcome -> assertThat(outcome.message()).isNotBlank());
        });
    }

    @Test
    void asksEachPoolAtMostOnce() {
        forAll(testCluster -> assertThat(Planner.plan(testCluster.snapshot()).growths().stream()
                        .map(growth -> growth.pool().name()))
                .doesNotHaveDuplicates());
    }

    @Test
    void neverBuysMoreMachinesThanThereAreWaitingPodsBeyondMinimumAndSpare() {
        forAll(testCluster -> {
            var snapshot = testCluster.snapshot();
            int bought = Planner.plan(snapshot).growths().stream()
                    .mapToInt(Growth::machines)
                    .sum();
            int kept = snapshot.pools().values().stream()
                    .mapToInt(pool -> pool.pool().min() + pool.pool().spare())
                    .sum();
            assertThat(bought).isLessThanOrEqualTo(snapshot.waiting().size() + kept);
        });
    }

    @Test
    void asksNoPoolThatBacksOffOrCannotBeRead() {
        forAll(testCluster -> {
            var snapshot = testCluster.snapshot();
            for (var growth : Planner.plan(snapshot).growths()) {
                var pool = snapshot.pools().get(growth.pool().name());
                assertThat(pool.backsOff(snapshot.now())).isFalse();
                assertThat(pool.state()).isPresent();
            }
        });
    }

    @Test
    void buysNothingInASecondIdenticalRound() {
        forAll(testCluster -> {
            var first = testCluster.snapshot();
            var second = Planner.plan(carriedOut(first));
            assertThat(second.withdrawals()).isEmpty();
            // No machine is requested for a pod of an unreadable pool. But the pod may use a spare machine that the
            // first plan requested. The second plan then replaces the spare machine.
            if (unplaced(second) == unplaced(Planner.plan(first))) {
                assertThat(second.growths()).isEmpty();
            }
        });
    }

    @Test
    void doesNotDependOnTheOrderInWhichObjectsAreListed() {
        forAll(testCluster -> {
            var before = Planner.plan(testCluster.snapshot());
            Collections.reverse(testCluster.pods);
            Collections.reverse(testCluster.nodes);
            assertThat(Planner.plan(testCluster.snapshot())).isEqualTo(before);
        });
    }

    @Test
    void letsOneMalformedPodChangeNothingForTheOthers() {
        forAll(testCluster -> {
            var before = Planner.plan(testCluster.snapshot());
            testCluster.pods.add(Objects.waiting("broken", null, "cpu", "lots"));
            assertThat(Planner.plan(testCluster.snapshot()).growths()).isEqualTo(before.growths());
        });
    }

    private static long unplaced(Plan plan) {
        return plan.outcomes().values().stream()
                .filter(outcome -> outcome instanceof Outcome.Unplaced)
                .count();
    }

    static Snapshot carriedOut(Snapshot snapshot) {
        var plan = Planner.plan(snapshot);
        var after = snapshot;
        for (var withdrawal : plan.withdrawals()) {
            after = after.with(pool(after, withdrawal.pool().name()).withTarget(withdrawal.to()));
        }
        for (var growth : plan.growths()) {
            after = after.with(pool(after, growth.pool().name()).withTarget(growth.to()));
        }
        return after;
    }

    private static PoolView pool(Snapshot snapshot, String name) {
        return snapshot.pools().get(name);
    }

    private static void forAll(Consumer<SnapshotFixture> property) {
        for (int i = 0; i < YARDS; i++) {
            long seed = SEED * 1_000_003 + i;
            try {
                property.accept(anyYard(new Random(seed)));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("yard of seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    static SnapshotFixture anyYard(Random random) {
        var testCluster = new SnapshotFixture();
        var pools = new ArrayList<String>();
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
            var name = "pool-" + i;
            int min = random.nextInt(3);
            int gpus = new int[] {0, 1, 1, 4}[random.nextInt(4)];
            var pool = random.nextBoolean() ? Objects.spot(gpus) : Objects.onDemand(gpus);
            testCluster.pool(
                    name,
                    pool.min(min)
                            .max(min + random.nextInt(12))
                            .spare(Math.min(min, random.nextInt(2)))
                            .price(random.nextBoolean() ? "0." + (1 + random.nextInt(9)) : null));
            pools.add(name);
            anyCloud(testCluster, name, random);
        }
        for (int i = 0; i < 1 + random.nextInt(3); i++) {
            var order = new ArrayList<>(pools);
            Collections.shuffle(order, random);
            testCluster.tier(
                    "tier-" + i,
                    order.subList(0, 1 + random.nextInt(order.size())).toArray(String[]::new));
        }
        for (int i = 0; i < random.nextInt(6); i++) {
            var tier = random.nextInt(4) == 0 ? null : "tier-" + random.nextInt(4);
            var gpus = Integer.toString(random.nextInt(5));
            var cpu = List.of("100m", "1", "2500m", "6", "7").get(random.nextInt(5));
            testCluster.waiting(1 + random.nextInt(15), "wave-" + i, tier, "cpu", cpu, "nvidia.com/gpu", gpus);
        }
        return testCluster;
    }

    private static <T> T any(T[] values, Random random) {
        return values[random.nextInt(values.length)];
    }

    private static void anyCloud(SnapshotFixture testCluster, String pool, Random random) {
        var machines = new ArrayList<Machine>();
        for (int i = 0; i < random.nextInt(4); i++) {
            var name = pool + "-m" + i;
            var state = any(STATES, random);
            machines.add(SnapshotFixture.machine(pool, name, state, Objects.NOON.minusSeconds(random.nextInt(1200))));
            if (state == Machine.State.RUNNING && random.nextBoolean()) {
                testCluster.node(name, pool);
                if (random.nextBoolean()) {
                    testCluster.running("on-" + name, name, "cpu", "3", "nvidia.com/gpu", "1");
                }
            }
        }
        int target = (int) machines.stream().filter(Machine::counts).count() + random.nextInt(3);
        switch (random.nextInt(6)) {
            case 0 -> testCluster.unreadable(pool);
            case 1 ->
                testCluster.cloudFails(
                        pool, target, any(FailureKind.values(), random), "no", machines.toArray(Machine[]::new));
            default -> testCluster.cloud(pool, target, machines.toArray(Machine[]::new));
        }
    }
}
