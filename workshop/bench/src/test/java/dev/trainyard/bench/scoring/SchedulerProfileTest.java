package dev.trainyard.bench.scoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.bench.process.BenchException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SchedulerProfileTest {

    private static final Path INSTALLED =
            Path.of(System.getProperty("trainyard.root"), "manifests/base/extender/scheduler-config.yaml");

    @Test
    void readsTheConfigurationThatIsInstalled() throws IOException {
        var profile = SchedulerProfile.parse(Files.readString(INSTALLED));

        assertThat(profile).isEqualTo(new SchedulerProfile(200, new InTree.Weights(5, 1, 1)));
        assertThat(profile.total(10, 37)).isEqualTo(20_037);
    }

    @Test
    void refusesOneWhoseScoresItCannotWorkOut() throws IOException {
        var spreading = Files.readString(INSTALLED).replace("MostAllocated", "LeastAllocated");

        assertThatThrownBy(() -> SchedulerProfile.parse(spreading))
                .isInstanceOf(BenchException.class)
                .hasMessage(
                        "the scheduler's configuration has NodeResourcesFit's scoringStrategy.type 'LeastAllocated'; "
                                + "this benchmark assumes 'MostAllocated'");
        assertThatThrownBy(() -> SchedulerProfile.parse("a: [")).hasMessageContaining("is not YAML");
    }
}
