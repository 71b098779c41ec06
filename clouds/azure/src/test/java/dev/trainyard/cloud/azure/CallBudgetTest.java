package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.azure.AzureEmulator;
import dev.trainyard.emulator.azure.TokenBuckets;
import dev.trainyard.scaler.Objects;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The number of requests to Azure, compared with its limits. docs/azure.md has the figures. */
class CallBudgetTest {

    private final ScaleSetStage cloud = new ScaleSetStage();

    @AfterEach
    void close() {
        cloud.close();
    }

    @Test
    void anHourOfAQuietClusterWithTenPoolsLeavesAzureAtRest() throws Exception {
        var pools = new ArrayList<Pool>();
        for (int i = 0; i < 10; i++) {
            cloud.arm.scaleSet("set-" + i).resize(5);
            pools.add(ScaleSetStage.pool("pool-" + i, "set-" + i, 20));
        }
        cloud.settle();
        for (var pool : pools) {
            cloud.provider().read(pool);
        }
        cloud.arm.forget();
        var limits = new TokenBuckets();
        cloud.arm.enforce(limits);
        // Rounds at the highest rate, as if other things changed in the cluster all the time.
        for (Duration passed = Duration.ZERO;
                passed.compareTo(Duration.ofHours(1)) < 0;
                passed = passed.plus(ScaleSetProvider.ATTENTION)) {
            for (var pool : pools) {
                assertThat(cloud.provider().read(pool).target()).isEqualTo(5);
            }
            cloud.clock.move(ScaleSetProvider.ATTENTION);
        }
        assertThat(calls(cloud.arm)).isEqualTo(Map.of("costly-get", 110L, "get", 1190L));
        assertThat(limits.lowest())
                .allSatisfy((bucket, share) -> assertThat(share).as(bucket).isGreaterThan(0.9));
    }

    @Test
    void anHourOfTenQuietPoolsOfSingleMachinesLeavesAzureAtRest(@TempDir Path directory) throws Exception {
        try (var machines = new VirtualMachineStage(directory)) {
            var pools = new ArrayList<Pool>();
            for (int i = 0; i < 10; i++) {
                var prefix = "k8s-pool%d-12345678-".formatted(i);
                machines.cloud.makeStanding(prefix, 0);
                machines.cloud.makeStanding(prefix, 1);
                pools.add(Pool.of("pool-" + i, machines.spec(Objects.onDemand(1), prefix)));
            }
            machines.settle();
            for (var pool : pools) {
                machines.provider().read(pool);
            }
            machines.arm.forget();
            var limits = new TokenBuckets();
            machines.arm.enforce(limits);
            for (Duration passed = Duration.ZERO;
                    passed.compareTo(Duration.ofHours(1)) < 0;
                    passed = passed.plus(ScaleSetProvider.ATTENTION)) {
                for (var pool : pools) {
                    assertThat(machines.provider().read(pool).target()).isEqualTo(2);
                }
                machines.clock.move(ScaleSetProvider.ATTENTION);
            }
            assertThat(calls(machines.arm)).isEqualTo(Map.of("costly-get", 129L));
            assertThat(limits.lowest())
                    .allSatisfy((bucket, share) -> assertThat(share).as(bucket).isGreaterThan(0.9));
        }
    }

    /** Separate lists for each pool would exceed Azure's limits. */
    @Test
    void thirtyPoolsThatMakeMachinesInOneResourceGroupShareItsLists(@TempDir Path directory) throws Exception {
        try (var machines = new VirtualMachineStage(directory)) {
            var limits = new TokenBuckets();
            machines.arm.enforce(limits);
            var pools = new ArrayList<Pool>();
            for (int i = 0; i < 30; i++) {
                pools.add(
                        Pool.of("pool-" + i, machines.spec(Objects.onDemand(1), "k8s-pool%d-12345678-".formatted(i))));
            }
            for (var pool : pools) {
                machines.provider().grow(pool, 0, 1);
            }
            machines.arm.forget();
            for (int second = 0; second < 60; second += 5) {
                for (var pool : pools) {
                    assertThat(machines.provider().read(pool).target()).isEqualTo(1);
                }
                machines.clock.move(ScaleSetProvider.ATTENTION);
            }
            // Machines are listed every 10 s, interfaces and disks once.
            assertThat(calls(machines.arm)).isEqualTo(Map.of("costly-get", 8L));
            assertThat(limits.lowest())
                    .allSatisfy((bucket, share) -> assertThat(share).as(bucket).isGreaterThan(0.25));
        }
    }

    @Test
    void aBurstOfAHundredMachinesStaysWithinWhatAzureAllows() throws Exception {
        var limits = new TokenBuckets();
        cloud.arm.enforce(limits);
        var pool = ScaleSetStage.pool("heavy-spot", ScaleSetStage.SET, 100);
        cloud.provider().read(pool);
        cloud.provider().grow(pool, 0, 100);
        for (int second = 0; second < 600; second += 5) {
            cloud.provider().read(pool);
            cloud.clock.move(ScaleSetProvider.ATTENTION);
        }
        var machines = cloud.provider().read(pool).machines();
        assertThat(machines).hasSize(100);
        // Jobs end one after another at first, and then all at once.
        for (int i = 0; i < 20; i++) {
            cloud.provider().terminate(pool, List.of(machines.get(i)));
            cloud.clock.move(Duration.ofSeconds(20));
            cloud.provider().read(pool);
        }
        cloud.provider().terminate(pool, machines.subList(20, 100));
        cloud.settle();
        assertThat(cloud.provider().read(pool).target()).isZero();
        assertThat(calls(cloud.arm).get("update")).isEqualTo(1);
        assertThat(calls(cloud.arm).get("delete")).isEqualTo(21);
        assertThat(limits.lowest())
                .allSatisfy((bucket, share) -> assertThat(share).as(bucket).isGreaterThan(0.25));
    }

    @Test
    void theRoleHasWhatIsAskedForAndNothingElse() throws Exception {
        cloud.stock(2);
        cloud.provider().grow(cloud.pool(), 0, 3);
        cloud.provider().read(cloud.pool());
        cloud.settle();
        cloud.restart();
        var state = cloud.provider().read(cloud.pool());
        cloud.provider().withdraw(cloud.pool(), 3, 2);
        cloud.provider().terminate(cloud.pool(), state.machines());
        cloud.arm.scaleSet("flexible").orchestration("Flexible");
        cloud.provider().read(ScaleSetStage.pool("flexible-spot", "flexible", 20));
        assertThat(cloud.arm.actions()).isEqualTo(Roles.actions("role-scale-sets.json"));
    }

    private static Map<String, Long> calls(AzureEmulator arm) {
        return arm.seen().stream()
                .collect(Collectors.groupingBy(AzureEmulator.Seen::bucket, TreeMap::new, Collectors.counting()));
    }
}
