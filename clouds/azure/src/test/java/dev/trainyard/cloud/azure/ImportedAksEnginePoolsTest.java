package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.emulator.azure.AzureEmulator;
import dev.trainyard.emulator.azure.AzurePace;
import dev.trainyard.emulator.azure.EmulatedScaleSet;
import dev.trainyard.scaler.ImportExamples;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.ScalerFixture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The three pools of an article's cluster (general, low priority, fallback), made by aks-engine and then imported: real rounds, the real
 * provider, an emulated Azure.
 */
class ImportedAksEnginePoolsTest {

    private static final int MINUTE = 60;
    private static final Map<String, String> GPU = Map.of("gpu", "true");
    private static final Map<String, String> GENERAL = Map.of("general", "true");
    private static final String TIER = "gpu-nc6s-v3";

    private final MovedClock clock = new MovedClock();
    private final AzureEmulator arm = AzureEmulator.start(clock, AzurePace.USUAL);
    private final EmulatedScaleSet general =
            set("gencanada").regular().size("Standard_DS2_v2").onePlacementGroup();
    private final EmulatedScaleSet spot = set("gpucanada");
    private final EmulatedScaleSet fallback = set("fallcanada").regular();
    private final ScalerFixture world =
            new ScalerFixture(clock, () -> Map.of("azureScaleSet", provider()), arm::machines);

    @BeforeEach
    void imported() {
        ImportExamples.apply(
                world,
                "aks-engine",
                yaml -> yaml.replace("00000000-0000-0000-0000-000000000000", AzureEmulator.SUBSCRIPTION)
                        .replace("resourceGroup: aks-canadacentral", "resourceGroup: " + AzureEmulator.GROUP));
    }

    @AfterEach
    void close() {
        arm.close();
    }

    private EmulatedScaleSet set(String pool) {
        return arm.scaleSet("k8s-%s-10448498-vmss".formatted(pool));
    }

    private ScaleSetProvider provider() {
        var access = ScaleSetStage.access(arm, Duration.ofSeconds(5));
        return new ScaleSetProvider(new Subscriptions(() -> access, clock), clock);
    }

    @Test
    void seed003_importedPoolsAreSound() {
        world.seconds(5);

        for (var pool : world.cluster.pools.values()) {
            assertThat(pool.getStatus().conditions())
                    .as(pool.getMetadata().getName())
                    .filteredOn(condition ->
                            List.of("Valid", "Ready", "CloudResourceSound").contains(condition.type()))
                    .hasSize(3)
                    .allSatisfy(condition -> assertThat(condition.status())
                            .as(condition.message())
                            .isEqualTo("True"));
        }
    }

    @Test
    void seed003_anImportedPoolScalesFromZeroByItsPromiseAndBack() {
        ImportExamples.waiting(world, 3, "train", TIER, GPU, "nvidia.com/gpu", "1");
        world.seconds(3 * MINUTE);

        assertThat(world.placed()).isEqualTo(3);
        assertThat(spot.capacity()).isEqualTo(3);
        assertThat(fallback.capacity()).isZero();
        assertThat(general.capacity()).isZero();

        world.finishAllJobs();
        world.seconds(15 * MINUTE);
        assertThat(spot.capacity()).isZero();
        assertThat(world.cluster.nodes).isEmpty();
    }

    /** aks-engine creates no pool without machines. */
    @Test
    void seed003_anImportedPoolThatBeganWithOneMachineShrinksToNone() {
        spot.resize(1);
        world.seconds(20 * MINUTE);

        assertThat(spot.capacity()).isZero();
        assertThat(world.cluster.nodes).isEmpty();
    }

    @Test
    void seed003_withoutLowPriorityMachinesTheImportedFallbackIsAskedInTheRoundThatSeesIt() {
        spot.stock(1);
        ImportExamples.waiting(world, 3, "train", TIER, GPU, "nvidia.com/gpu", "1");
        int seconds = 0;
        for (; seconds < MINUTE && fallback.capacity() == 0; seconds++) {
            world.second();
        }
        assertThat(Duration.ofSeconds(seconds))
                .as("asked in the first second, and told of the failure")
                .isBetween(
                        AzurePace.USUAL.failure(),
                        AzurePace.USUAL
                                .failure()
                                .plus(ScaleSetProvider.ATTENTION)
                                .plusSeconds(1));
        assertThat(fallback.capacity()).isEqualTo(2);

        world.seconds(5 * MINUTE);
        assertThat(world.placed()).isEqualTo(3);
        assertThat(spot.capacity()).as("what did not come is taken back").isEqualTo(1);
        assertThat(world.cluster.pools.get("gpucanada").getStatus().backOff()).isNotNull();
        assertThat(general.capacity()).isZero();
    }

    @Test
    void seed003_generalWorkNeverGetsALowPriorityMachineOfTheImportedPools() {
        general.stock(1);
        ImportExamples.waiting(world, 6, "web", null, GENERAL, "cpu", "1");
        world.seconds(10 * MINUTE);

        assertThat(general.capacity()).isPositive();
        assertThat(spot.capacity()).isZero();
        assertThat(fallback.capacity()).isZero();
    }

    @Test
    void seed003_eachImportedPoolHasItsOwnMaximum() {
        ImportExamples.waiting(world, 260, "web", null, GENERAL, "cpu", "1500m");
        ImportExamples.waiting(world, 230, "train", TIER, GPU, "nvidia.com/gpu", "1");
        world.seconds(5);

        assertThat(general.capacity()).as("one placement group").isEqualTo(100);
        assertThat(spot.capacity()).isEqualTo(200);
        assertThat(fallback.capacity()).as("what is beyond the other's maximum").isEqualTo(30);
    }

    @Test
    void seed003_aMachineThatWasEvictedFromAnImportedPoolIsReplacedForItsPod() {
        ImportExamples.waiting(world, 1, "train", TIER, GPU, "nvidia.com/gpu", "1");
        world.seconds(3 * MINUTE);
        assertThat(world.placed()).isEqualTo(1);

        spot.evict(spot.present().first());
        world.seconds(3 * MINUTE);

        assertThat(world.cluster.nodes).hasSize(1).doesNotContainKey("k8s-gpucanada-10448498-vmss000000");
        assertThat(world.placed()).isEqualTo(1);
        assertThat(spot.capacity()).isEqualTo(1);
    }

    @Test
    void seed003_theEvictionPolicyDeallocateOfAnImportedPoolIsNamed() {
        spot.evictionPolicy("Deallocate");
        world.seconds(5);

        assertThat(world.cluster.pools.get("gpucanada").getStatus().conditions())
                .filteredOn(condition -> condition.type().equals("CloudResourceSound"))
                .singleElement()
                .satisfies(condition -> {
                    assertThat(condition.status()).isEqualTo("False");
                    assertThat(condition.message()).contains("eviction policy is Deallocate");
                });
    }
}
