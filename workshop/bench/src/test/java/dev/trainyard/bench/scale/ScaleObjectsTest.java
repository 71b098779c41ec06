package dev.trainyard.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.configuration.FileConfiguration;
import dev.trainyard.runtime.configuration.ResourceFiles;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScaleObjectsTest {

    private static final ScaleBenchOptions OPTIONS = new ScaleBenchOptions(5000, 20_000, Duration.ofMinutes(30));

    private final ScaleObjects objects = new ScaleObjects(OPTIONS);

    @Test
    void fixedPoolsHaveAllFixedNodesAndTheElasticPoolHasTheRest() {
        var catalogue = catalogue();

        assertThat(catalogue.problems()).isEmpty();
        assertThat(catalogue.pools().values().stream()
                        .mapToInt(pool -> pool.min())
                        .sum())
                .isEqualTo(4500);
        assertThat(catalogue.pools().values().stream()
                        .mapToInt(pool -> pool.max())
                        .sum())
                .isEqualTo(5000);
    }

    @Test
    void burstPodsComeInTheFirstHalfOfAWaveOnly() {
        var burst = IntStream.range(0, 2 * 1333)
                .filter(number -> tier(objects.pod(number)).equals("burst"))
                .boxed()
                .toList();

        assertThat(burst).hasSize(2 * 133 + 1).allMatch(number -> number % 1333 < 667);
        assertThat(objects.burstPods()).isBetween(1900, 2100);
    }

    @Test
    void burstPodsOfASmallClusterFitItsElasticNodes() {
        var small = new ScaleObjects(new ScaleBenchOptions(100, 400, Duration.ofSeconds(90)));

        // Ten nodes run two pods each in the first half of a wave of 30 s.
        assertThat(small.burstPods()).isBetween(3, 3 * 10);
    }

    @Test
    void podsRunForATenthOfTheTime() {
        assertThat(objects.pod(1).getMetadata().getAnnotations())
                .containsEntry("trainyard.dev/simulated-duration", "180s")
                .containsEntry(Names.TIER, "usual");
    }

    @Test
    void refusesASizeOutOfRange() {
        assertThatThrownBy(() -> new ScaleBenchOptions(19, 1000, Duration.ofMinutes(1)))
                .hasMessage("--nodes: 19 is not a number from 20 to 5000");
        assertThatThrownBy(() -> new ScaleBenchOptions(100, 99, Duration.ofMinutes(1)))
                .hasMessage("--pods: 99 is not a number from 100 to 1000000");
        assertThatThrownBy(() -> new ScaleBenchOptions(100, 1000, Duration.ofSeconds(12)))
                .hasMessage("--minutes: expected at least 0.5, but it is 0.2");
    }

    private Catalogue catalogue() {
        var yaml = new ByteArrayInputStream(objects.policy().getBytes(StandardCharsets.UTF_8));
        return FileConfiguration.of(ResourceFiles.read("policy", yaml)).current();
    }

    private static String tier(Pod pod) {
        return pod.getMetadata().getAnnotations().get(Names.TIER);
    }
}
