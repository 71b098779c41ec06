package dev.trainyard.extender.score;

import static dev.trainyard.extender.score.Tables.GIBIBYTE;
import static dev.trainyard.extender.score.Tables.demand;
import static dev.trainyard.extender.score.Tables.gpus;
import static dev.trainyard.extender.score.Tables.pods;
import static dev.trainyard.extender.score.Tables.room;
import static dev.trainyard.extender.score.Tables.workload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.gpu.GpuProduct;
import dev.trainyard.core.gpu.GpuRequirement;
import dev.trainyard.extender.pod.PodClass;
import dev.trainyard.extender.workload.TypicalWorkload;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LargePodCapacityTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # GPUs left         | cores | typical pods  | usable
            1000 1000 1000 1000 | 8     | 1/4000        | 4000
            1000 1000 1000 1000 | 8     | 1/2000        | 4000
            1000 1000 1000 1000 | 8     | 1/3000        | 3000
            1000 1000 1000 1000 | 1     | 1/2000        | 2000
            1000 1000 1000 1000 | 0     | 1/2000        | 0
            1000 1000 1000 999  | 8     | 1/4000        | 0
            1000 1000 1000 999  | 8     | 1/2000        | 2000
            1000 1000 1000 1000 | 8     | 1/1000 1/500  | 0
            1000 1000 1000 1000 | 8     | 1/4000 1/1000 | 2000
            1000 1000 1000 1000 | 8     | 1/4000 1/2000 | 4000
            1000 1000 1000 1000 | 8     | 1/4000 8/0    | 4000
            1000 1000 1000 1000 | 8     | 8/0           | 0
            1000 1000 1000 1000 | 8     | ''            | 0
            """)
    void onlyTypicalPodsWithSeveralGpusCount(String gpus, int cores, String pods, double usable) {
        assertThat(LargePodCapacity.of(workload(pods(pods))).usable(room(gpus, cores)))
                .isEqualTo(usable);
    }

    @Test
    void memoryLimitsCapacityAsCpusDo() {
        var room = new Room(GpuKind.UNKNOWN, 64_000, 5 * GIBIBYTE, gpus("1000 1000 1000 1000"));

        assertThat(LargePodCapacity.of(workload(pods("4/2000"))).usable(room)).isEqualTo(2000);
    }

    @Test
    void podsThatWishForAnotherKindOfGpuDoNotCount() {
        var wish = GpuRequirement.of(Map.of("trainyard.dev/gpu-product", "V100"));
        var capacity = LargePodCapacity.of(workload(List.of(new PodClass(1000, GIBIBYTE, demand(2000), wish))));

        assertThat(capacity.usable(ofKind("Tesla-V100-SXM2-16GB"))).isEqualTo(2000);
        assertThat(capacity.usable(ofKind("Tesla-T4"))).isZero();
    }

    @Test
    void noNodeHasCapacityForAnUnknownWorkload() {
        assertThat(LargePodCapacity.of(TypicalWorkload.UNKNOWN).usable(room("1000 1000", 8)))
                .isZero();
    }

    private static Room ofKind(String product) {
        var kind = new GpuKind(Optional.of(GpuProduct.of(product)), OptionalLong.empty());
        return new Room(kind, 8_000, 8 * GIBIBYTE, gpus("1000 1000"));
    }
}
