package dev.trainyard.cloud.azure;

import static dev.trainyard.emulator.azure.AzureEmulator.error;
import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.api.TrainingPoolStatus.ConditionStatus;
import dev.trainyard.emulator.azure.AzureFault;
import dev.trainyard.emulator.azure.AzurePace;
import dev.trainyard.emulator.azure.EmulatedScaleSet;
import dev.trainyard.scaler.ScalerFixture;
import dev.trainyard.scaler.lifecycle.Nodes;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whole rounds on Azure, over HTTP, in virtual time: the status of a pool, and the time of the fallback to the next pool. */
class AzureRoundTest {

    private static final String GPU = "nvidia.com/gpu";
    private static final String ON_DEMAND = "k8s-heavyondemand-vmss";

    private final ScaleSetStage cloud = new ScaleSetStage();
    private final EmulatedScaleSet onDemandSet = cloud.arm.scaleSet(ON_DEMAND);
    private final ScalerFixture world = new ScalerFixture(cloud.clock, () -> Map.of("azureScaleSet", cloud.provider()));

    AzureRoundTest() {
        onDemandSet.regular();
        world.cluster.pool("heavy-spot", ScaleSetStage.spec(spot(1), ScaleSetStage.SET));
        world.cluster.pool("heavy-ondemand", ScaleSetStage.spec(onDemand(1), ON_DEMAND));
        world.tier("heavy-gpu", "heavy-spot", "heavy-ondemand");
    }

    @AfterEach
    void close() {
        cloud.close();
    }

    static List<Object[]> stockOuts() {
        return List.of(
                new Object[] {error("AllocationFailed", "Allocation failed."), "no capacity (spot)"},
                new Object[] {error("ZonalAllocationFailed", "Allocation failed in zone 1."), "no capacity (spot)"},
                new Object[] {error("OverconstrainedAllocationRequest", "Allocation failed."), "no capacity (spot)"},
                new Object[] {error("SkuNotAvailable", "The size is not available."), "no capacity (spot)"},
                new Object[] {error("QuotaExceeded", "exceeding standardNCSv3Family Cores quota."), "quota exceeded"},
                new Object[] {error("OperationNotAllowed", "exceeding LowPriorityCores quota."), "quota exceeded"});
    }

    @ParameterizedTest
    @MethodSource("stockOuts")
    void theNextPoolIsAskedWithinOnePollOfWhenTheFailureCanBeRead(ObjectNode error, String words) {
        cloud.set.stockOut(error);
        cloud.stock(0);
        world.waiting(1, "train", "heavy-gpu", GPU, "1");
        world.seconds(45);

        var readable = changeOf(ScaleSetStage.SET).plus(AzurePace.USUAL.failure());
        assertThat(Duration.between(readable, changeOf(ON_DEMAND)))
                .isBetween(Duration.ZERO, ScaleSetProvider.ATTENTION);
        assertThat(cloud.set.capacity()).as("taken back").isZero();
        assertThat(onDemandSet.capacity()).isEqualTo(1);
        assertThat(world.events)
                .anyMatch(event -> event.startsWith("train-1 Fallback: pool heavy-ondemand grows from 0 to 1"));
        assertThat(world.cluster.pools.get("heavy-spot").getStatus().message()).startsWith(words);
        assertThat(world.cluster.pools.get("heavy-spot").getStatus().backOff().reason())
                .contains(error.path("message").asText());
    }

    @Test
    void singleMachinesFallBackWithinOnePollAsWell(@TempDir Path directory) {
        try (var machines = new VirtualMachineStage(directory)) {
            var there = new ScalerFixture(machines.clock, () -> Map.of("azureVirtualMachines", machines.provider()));
            var other = "k8s-agentpool2-12345678-";
            there.cluster.pool("agentpool1", machines.spec(spot(1), VirtualMachineStage.PREFIX));
            there.cluster.pool("agentpool2", machines.spec(onDemand(1), other));
            there.tier("gpu", "agentpool1", "agentpool2");
            machines.cloud.unavailable(name -> name.startsWith(VirtualMachineStage.PREFIX));
            there.waiting(1, "train", "gpu", GPU, "1");
            there.seconds(240);

            var asked = machines.arm.seen().stream()
                    .filter(call -> call.request().method().equals("PUT"))
                    .filter(call -> call.request().path().contains("/virtualMachines/"))
                    .toList();
            assertThat(asked)
                    .extracting(call -> call.request().path().replaceAll(".*/", ""))
                    .startsWith(VirtualMachineStage.PREFIX + "0", other + "0");
            var readable = asked.get(0).at().plus(AzurePace.USUAL.failure());
            assertThat(Duration.between(readable, asked.get(1).at()))
                    .isBetween(Duration.ZERO, VirtualMachineMemory.MOVING);
            assertThat(machines.cloud.names())
                    .as("the one that failed was removed")
                    .doesNotContain(asked.get(0).request().path().replaceAll(".*/", ""));
        }
    }

    @Test
    void whatAPoolTookOfAnOrderIsNotBoughtOnceMoreElsewhere(@TempDir Path directory) {
        try (var machines = new VirtualMachineStage(directory)) {
            var there = new ScalerFixture(machines.clock, () -> Map.of("azureVirtualMachines", machines.provider()));
            var other = "k8s-agentpool2-12345678-";
            there.cluster.pool("agentpool1", machines.spec(spot(1).max(20), VirtualMachineStage.PREFIX));
            there.cluster.pool("agentpool2", machines.spec(onDemand(1).max(20), other));
            there.tier("gpu", "agentpool1", "agentpool2");
            machines.cloud.refuseBeyond(
                    5, VirtualMachineStage.PREFIX, error("QuotaExceeded", "exceeding LowPriorityCores quota."));
            there.waiting(6, "train", "gpu", GPU, "1");
            there.seconds(60);

            assertThat(machines.cloud.names())
                    .filteredOn(name -> name.startsWith(VirtualMachineStage.PREFIX))
                    .hasSize(5);
            assertThat(machines.cloud.names())
                    .filteredOn(name -> name.startsWith(other))
                    .hasSize(1);
            var first = there.cluster.pools.get("agentpool1").getStatus();
            assertThat(first.message()).startsWith("quota exceeded");
            assertThat(first.backOff().reason()).contains("exceeding LowPriorityCores quota.");
        }
    }

    @Test
    void aMachineThatWasEvictedAndStoppedGoesAtOnceThoughItIsStillThere() {
        cloud.set.evictionPolicy("Deallocate");
        var there = new ScalerFixture(
                cloud.clock, () -> Map.of("azureScaleSet", cloud.provider()), () -> cloud.arm.machines());
        there.pool(
                "heavy-spot",
                spot(1),
                ScaleSetStage.spec(spot(1), ScaleSetStage.SET).provider(),
                ScaleSetStage.SET);
        there.tier("heavy-gpu", "heavy-spot");
        there.waiting(1, "train", "heavy-gpu", GPU, "1");
        there.seconds(120);
        assertThat(there.placed()).isEqualTo(1);
        var evicted = cloud.set.present().first();
        cloud.set.evict(evicted);
        there.cluster.nodes.replaceAll(
                (name, node) -> Nodes.deadSince(cloud.clock.instant().toString())
                        .apply(new NodeBuilder(node))
                        .build());
        // Evicted machines are looked for once a minute.
        there.seconds(90);
        assertThat(cloud.set.present()).doesNotContain(evicted);
        assertThat(there.cluster.nodes).isEmpty();
    }

    @Test
    void aStormOfRefusalsBlamesNoPoolAndCostsNothing() {
        world.waiting(2, "train", "heavy-gpu", GPU, "1");
        world.seconds(5);
        assertThat(cloud.set.capacity()).isEqualTo(2);
        cloud.arm.trouble(ScaleSetStage.ANY, AzureFault.THROTTLED);
        world.seconds(120);
        assertThat(world.cluster.pools.get("heavy-spot").getStatus().backOff()).isNull();
        assertThat(world.cluster.pools.get("heavy-spot").getStatus().target()).isEqualTo(2);
        cloud.arm.clearFaults();
        // The tier's timeout for the preferred pool is not over yet.
        world.seconds(30);
        assertThat(cloud.set.capacity()).isEqualTo(2);
        assertThat(onDemandSet.capacity()).isZero();
    }

    @Test
    void whatTheTagsOfASetSayAgainstThePromiseIsACondition() {
        cloud.set.tag("k8s.io_cluster-autoscaler_node-template_label_accelerator", "v100");
        world.second();
        assertThat(world.cluster.pools.get("heavy-spot").getStatus().conditions())
                .filteredOn(condition -> condition.type().equals("CloudResourceSound"))
                .singleElement()
                .satisfies(condition -> assertThat(condition.message())
                        .contains("accelerator=v100", "spec.promise.labels has no such label"))
                .extracting(ConditionStatus::status)
                .isEqualTo("False");
    }

    /** Returns the time of the first request for another size of a set. */
    private Instant changeOf(String set) {
        return cloud.arm.seen().stream()
                .filter(call -> call.request().method().equals("PATCH"))
                .filter(call -> call.request().path().endsWith(set))
                .findFirst()
                .orElseThrow()
                .at();
    }
}
