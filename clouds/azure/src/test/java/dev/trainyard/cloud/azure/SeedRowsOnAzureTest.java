package dev.trainyard.cloud.azure;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AzureScaleSet;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.machine.MachineSizes;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.azure.AzureEmulator;
import dev.trainyard.scaler.ScalerFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Articles of teams that trained on Azure: with acs-engine's availability sets in 2017 (seed000), aks-engine's scale sets in 2019 (seed003). */
class SeedRowsOnAzureTest {

    private static final String PREFIX = VirtualMachineStage.PREFIX;

    /** The name of the GPU resource at that time. */
    private static final String OLD_GPU = "alpha.kubernetes.io/nvidia-gpu";

    @TempDir
    private Path directory;

    @Test
    void seed000_azureAPoolWithoutAPromiseIsRefused() {
        try (var cloud = new VirtualMachineStage(directory)) {
            var world = new ScalerFixture(cloud.clock, () -> Map.of("azureVirtualMachines", cloud.provider()));
            world.cluster.pool("agentpool2", promising(cloud.spec(onDemand(1), PREFIX), null));
            world.tier("gpu", "agentpool2");
            world.waiting(1, "train", "gpu", OLD_GPU, "1");
            world.seconds(30);

            assertThat(world.cluster.pools.get("agentpool2").getStatus().conditions())
                    .anySatisfy(condition -> {
                        assertThat(condition.type()).isEqualTo("Ready");
                        assertThat(condition.reason()).isEqualTo("Invalid");
                        assertThat(condition.message()).contains("spec.promise: missing");
                    });
            assertThat(cloud.arm.seen()).isEmpty();
        }
    }

    @Test
    void seed000_azureNc6HasSixCpusAndAGpu() {
        var size = MachineSizes.builtIn().find("Standard_NC6").orElseThrow();
        assertThat(size.cpus()).isEqualTo(6);
        assertThat(size.gpus()).isEqualTo(1);
        try (var cloud = new VirtualMachineStage(directory)) {
            var world = new ScalerFixture(cloud.clock, () -> Map.of("azureVirtualMachines", cloud.provider()));
            world.cluster.pool("agentpool2", promising(cloud.spec(onDemand(1), PREFIX), ofSize("Standard_NC6")));
            world.tier("gpu", "agentpool2");
            world.waiting(2, "train", "gpu", OLD_GPU, "1", "cpu", "4");
            world.waiting(1, "cpus", "gpu", OLD_GPU, "1", "cpu", "7");
            world.seconds(5);

            assertThat(cloud.cloud.names()).containsOnly(PREFIX + "0", PREFIX + "1");
        }
    }

    @Test
    void seed000_azureDeletesTheVmThenItsNicThenItsDisk() throws Exception {
        try (var cloud = new VirtualMachineStage(directory)) {
            cloud.cloud.makeStanding(PREFIX, 0);
            cloud.settle();
            cloud.cloud.forget();
            var pool = cloud.pool(onDemand(1));
            cloud.provider().terminate(pool, cloud.provider().read(pool).machines());
            cloud.settle();
            assertThat(cloud.cloud.journal()).endsWith("vm " + PREFIX + "0 deleted");

            // The process ends after the machine is deleted. Another process removes the interface and the disk.
            cloud.restart();
            for (int i = 0; i < 12; i++) {
                cloud.clock.move(Duration.ofSeconds(10));
                cloud.provider().read(pool);
            }

            assertThat(cloud.cloud.journal())
                    .containsExactly(
                            "vm " + PREFIX + "0 deleting",
                            "vm " + PREFIX + "0 deleted",
                            "nic " + PREFIX + "nic-0 deleted",
                            "disk " + PREFIX + "0_OsDisk_1_0a1b2c3d deleted");
        }
    }

    /** The quota family in a message must be Azure's. An old autoscaler computed a wrong family from the size. */
    @Test
    void seed003_azureNc6sV3IsOfTheQuotaFamilyNcsV3() {
        var size = MachineSizes.builtIn().find("Standard_NC6s_v3").orElseThrow();
        assertThat(size.cpus()).isEqualTo(6);
        assertThat(size.memory()).isEqualTo(112L << 30);
        assertThat(size.gpus()).isEqualTo(1);
        assertThat(size.gpu().toString()).contains("V100");
        try (var cloud = new ScaleSetStage()) {
            cloud.set.stockOut(AzureEmulator.error(
                    "OperationNotAllowed",
                    "Operation could not be completed as it results in exceeding approved standardNCSv3Family Cores quota."
                            + " Additional details - Deployment Model: Resource Manager, Location: westeurope, Current Limit: 0,"
                            + " Current Usage: 0, Additional Required: 6, (Minimum) New Limit Required: 6."));
            cloud.stock(0);
            var world = new ScalerFixture(cloud.clock, () -> Map.of("azureScaleSet", cloud.provider()));
            world.cluster.pool(
                    "gpu-spot", promising(ScaleSetStage.spec(spot(1), ScaleSetStage.SET), ofSize("Standard_NC6s_v3")));
            world.tier("gpu", "gpu-spot");
            world.waiting(1, "train", "gpu", "nvidia.com/gpu", "1");
            world.seconds(40);

            var status = world.cluster.pools.get("gpu-spot").getStatus();
            assertThat(status.message()).startsWith("quota exceeded");
            assertThat(status.backOff().kind()).isEqualTo("quota");
            assertThat(status.backOff().reason()).contains("standardNCSv3Family", "New Limit Required: 6");
        }
    }

    @Test
    void seed003_azureAScaleSetOfOnePlacementGroupHasAtMostAHundred() throws Exception {
        Pool.of("most", ofPlacementGroups(true, 100));
        Pool.of("most", ofPlacementGroups(false, 1000));
        assertThatThrownBy(() -> Pool.of("gpu-spot", ofPlacementGroups(true, 101)))
                .hasMessageContaining("spec.max: 101 is more than 100, the limit");
        assertThatThrownBy(() -> Pool.of("gpu-spot", ofPlacementGroups(false, 1001)))
                .hasMessageContaining("spec.max: 1001 is more than 1000, the limit");
        try (var cloud = new ScaleSetStage()) {
            cloud.set.onePlacementGroup();
            var world = new ScalerFixture(cloud.clock, () -> Map.of("azureScaleSet", cloud.provider()));
            world.cluster.pool("gpu-spot", ScaleSetStage.spec(spot(1).max(1000), ScaleSetStage.SET));
            world.tier("gpu", "gpu-spot");
            world.waiting(150, "train", "gpu", "nvidia.com/gpu", "1");
            world.seconds(5);

            assertThat(cloud.set.capacity()).isEqualTo(100);
            assertThat(world.cluster.pools.get("gpu-spot").getStatus().conditions())
                    .anyMatch(condition -> condition.type().equals("CloudResourceSound")
                            && condition.status().equals("False")
                            && condition.message().contains("singlePlacementGroup"));
        }
    }

    @Test
    void seed003_azureAProviderIdTellsGroupSetAndIndex() {
        var id = AzureId.ofProviderId(
                        "azure:///subscriptions/0000/resourceGroups/gencanada/providers/Microsoft.Compute/virtualMachineScaleSets/k8s-gencanada-10448498-vmss/virtualMachines/0")
                .orElseThrow();
        assertThat(id.resourceGroup()).isEqualTo("gencanada");
        assertThat(id.parent()).hasValue("k8s-gencanada-10448498-vmss");
        assertThat(id.name()).isEqualTo("0");
        assertThat(id)
                .isEqualTo(AzureId.ofProviderId(
                                "azure:///subscriptions/0000/resourcegroups/GENCANADA/providers/microsoft.compute/virtualmachinescalesets/K8S-gencanada-10448498-vmss/virtualmachines/0")
                        .orElseThrow());
        for (var other : List.of("azure:////4d4f", "aws:///eu-west-1a/i-0123", "", "azure://")) {
            assertThat(AzureId.ofProviderId(other)).as(other).isEmpty();
        }
    }

    @Test
    void seed003_azureWarnsOfTheEvictionPolicyDeallocate() {
        try (var cloud = new ScaleSetStage()) {
            cloud.set.evictionPolicy("Deallocate");
            var world = new ScalerFixture(cloud.clock, () -> Map.of("azureScaleSet", cloud.provider()));
            world.cluster.pool("gpu-spot", ScaleSetStage.spec(spot(1), ScaleSetStage.SET));
            world.second();

            assertThat(world.cluster.pools.get("gpu-spot").getStatus().conditions())
                    .anyMatch(condition -> condition.type().equals("CloudResourceSound")
                            && condition.status().equals("False")
                            && condition.message().contains("eviction policy is Deallocate"));
        }
    }

    private static TrainingPoolSpec ofPlacementGroups(boolean single, int max) {
        var set = new AzureScaleSet(AzureEmulator.SUBSCRIPTION, AzureEmulator.GROUP, ScaleSetStage.SET, single);
        return ScaleSetStage.with(spot(1).max(max), new ProviderSpec(set, null, null, null));
    }

    private static PromiseSpec ofSize(String size) {
        return new PromiseSpec(Map.of(), List.of(), Map.of(), size, null);
    }

    private static TrainingPoolSpec promising(TrainingPoolSpec spec, PromiseSpec promise) {
        return new TrainingPoolSpec(
                spec.provider(),
                spec.capacityType(),
                spec.min(),
                spec.max(),
                spec.spare(),
                promise,
                spec.hourlyPrice(),
                spec.provisionTimeout(),
                spec.scaleDown());
    }
}
