package dev.trainyard.core.catalogue;

import static dev.trainyard.core.catalogue.PlacementPolicy.Access.ALLOWED;
import static dev.trainyard.core.catalogue.PlacementPolicy.Access.KEPT_FOR_GPU_PODS;
import static dev.trainyard.core.catalogue.PlacementPolicy.Access.LAST_RESORT;
import static dev.trainyard.core.catalogue.PlacementPolicy.Access.OUTSIDE_TIER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.Kwok;
import dev.trainyard.core.api.TrainingClusterSpec.CpuPodsOnGpuNodes;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.catalogue.PlacementPolicy.Access;
import dev.trainyard.core.gpu.GpuRequirement;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.resource.Resources;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlacementPolicyTest {

    private static final Catalogue CATALOGUE = Catalogue.of(
            Map.of("cpu", pool(0), "gpu", pool(1), "other", pool(1)),
            Map.of("training", tier("gpu"), "analysis", tier("cpu")));

    @ParameterizedTest
    @CsvSource({
        "training, 1, gpu, ALLOWED",
        "training, 0, gpu, ALLOWED",
        "training, 1, other, OUTSIDE_TIER",
        "training, 0, cpu, OUTSIDE_TIER",
        "training, 0, none, ALLOWED",
        "analysis, 0, cpu, ALLOWED",
        "analysis, 0, gpu, OUTSIDE_TIER",
        "unknown, 0, gpu, KEPT_FOR_GPU_PODS",
        "unknown, 1, gpu, ALLOWED",
        ", 0, cpu, ALLOWED",
        ", 0, gpu, KEPT_FOR_GPU_PODS",
        ", 1, gpu, ALLOWED",
        ", 1, cpu, ALLOWED",
        ", 0, none, ALLOWED"
    })
    void judgesByTierThenByGpus(@Nullable String tier, int gpus, String pool, Access expected) {
        assertThat(access(CpuPodsOnGpuNodes.NEVER, tier, gpus, pool, false)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"NEVER, KEPT_FOR_GPU_PODS", "LAST, LAST_RESORT", "ALWAYS, ALLOWED"})
    void leavesToTheSettingWhatBecomesOfPodsWithoutGpus(CpuPodsOnGpuNodes setting, Access expected) {
        assertThat(access(setting, null, 0, "gpu", true)).isEqualTo(expected);
        assertThat(access(setting, null, 0, "none", true)).isEqualTo(expected);
        assertThat(access(setting, "training", 0, "gpu", true)).isEqualTo(ALLOWED);
        assertThat(access(setting, "training", 0, "other", true)).isEqualTo(OUTSIDE_TIER);
        assertThat(access(setting, null, 1, "none", true)).isEqualTo(ALLOWED);
    }

    @Test
    void takesANodeForAGpuNodeBeforeItsDriverReportsTheGpusThatItsPoolPromises() {
        assertThat(access(CpuPodsOnGpuNodes.NEVER, null, 0, "gpu", false)).isEqualTo(KEPT_FOR_GPU_PODS);
        assertThat(access(CpuPodsOnGpuNodes.LAST, null, 0, "gpu", false)).isEqualTo(LAST_RESORT);
    }

    private static Access access(
            CpuPodsOnGpuNodes setting, @Nullable String tier, int gpus, String pool, boolean reportsGpus) {
        var requests = Resources.of("nvidia.com/gpu", gpus);
        var shape = new PodShape(
                requests, Map.of(), List.of(), List.of(), Set.of(), tier, GpuRequirement.NONE, new TreeSet<>());
        return CATALOGUE
                .with(setting)
                .policy()
                .access(shape, Optional.ofNullable(CATALOGUE.pools().get(pool)), reportsGpus);
    }

    private static TrainingPoolSpec pool(int gpus) {
        var amounts = Map.of("nvidia.com/gpu", new Quantity(Integer.toString(gpus)));
        return new TrainingPoolSpec(
                new ProviderSpec(null, null, null, new Kwok(null, null, null, null)),
                CapacityType.SPOT,
                null,
                null,
                null,
                new PromiseSpec(Map.of(), List.of(), amounts, null, null),
                null,
                null,
                null);
    }

    private static TrainingTierSpec tier(String pool) {
        return new TrainingTierSpec(List.of(pool));
    }
}
