package dev.trainyard.core.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ResourcesTest {

    @Test
    void countsCpuInThousandthsAndAllElseInWholeUnits() {
        var resources = Resources.parse(
                "requests",
                Map.of(
                        "cpu", new Quantity("1500m"),
                        "memory", new Quantity("2Gi"),
                        "nvidia.com/gpu", new Quantity("4")));
        assertThat(resources.get("cpu")).isEqualTo(1500);
        assertThat(resources.get("memory")).isEqualTo(2L << 30);
        assertThat(resources.gpus()).isEqualTo(4);
    }

    @Test
    void roundsFractionsUpAsTheSchedulerDoes() {
        assertThat(parsed("cpu", "100u")).isEqualTo(1);
        assertThat(parsed("memory", "1500m")).isEqualTo(2);
    }

    @Test
    void readsTheOldGpuNameAsThePresentOne() {
        assertThat(Resources.parse("requests", Map.of("alpha.kubernetes.io/nvidia-gpu", new Quantity("1")))
                        .gpus())
                .isEqualTo(1);
    }

    @Test
    void countsAGpuOnceThatIsAskedForUnderBothNames() {
        assertThat(Resources.parse(
                                "requests",
                                Map.of(
                                        "alpha.kubernetes.io/nvidia-gpu", new Quantity("2"),
                                        "nvidia.com/gpu", new Quantity("2")))
                        .gpus())
                .isEqualTo(2);
    }

    @Test
    void namesTheResourceAndTheValueOfWhatIsNoQuantity() {
        assertThatThrownBy(() -> Resources.parse("requests", Map.of("memory", new Quantity("lots"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("requests memory is 'lots'; expected a Kubernetes quantity");
    }

    @Test
    @Timeout(5)
    void readsQuantitiesThatTakeMinutesToWriteOut() {
        assertThat(parsed("memory", "1e99999999")).isEqualTo(Long.MAX_VALUE);
        assertThat(parsed("memory", "-1e999999999")).isEqualTo(-Long.MAX_VALUE);
        assertThat(parsed("cpu", "1e-99999999")).isEqualTo(1);
        assertThat(parsed("cpu", "-1e-99999999")).isZero();
        assertThat(parsed("cpu", "0e99999999")).isZero();
        assertThat(parsed("memory", "9223372036854775807")).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void saturatesInsteadOfWrappingAround() {
        var huge = Resources.of("memory", Long.MAX_VALUE);
        assertThat(huge.plus(huge).get("memory")).isEqualTo(Long.MAX_VALUE);
        assertThat(huge.times(3).get("memory")).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void treatsZeroAndAbsentAlike() {
        assertThat(Resources.of("cpu", 0)).isEqualTo(Resources.NONE);
        assertThat(Resources.of("cpu", 5).minus(Resources.of("cpu", 5))).isEqualTo(Resources.NONE);
    }

    @Test
    void readsWellForPeople() {
        assertThat(Resources.of(Map.of("cpu", 500L, "memory", 3L << 30, "nvidia.com/gpu", 1L)))
                .hasToString("cpu 500m, memory 3Gi, nvidia.com/gpu 1");
        assertThat(Resources.NONE).hasToString("nothing");
    }

    private static long parsed(String name, String quantity) {
        return Resources.parse("requests", Map.of(name, new Quantity(quantity))).get(name);
    }
}
