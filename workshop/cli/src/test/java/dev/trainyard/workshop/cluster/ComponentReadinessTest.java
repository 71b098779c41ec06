package dev.trainyard.workshop.cluster;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.local.process.FreePort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ComponentReadinessTest {

    @Test
    void aPartThatEndsIsReportedInItsOwnWords(@TempDir Path directory) {
        var log = directory.resolve("webhook.log");
        var launch = new ComponentLaunch(
                InstalledComponent.WEBHOOK,
                FreePort.onLoopback(),
                FreePort.onLoopback(),
                List.of("/bin/sh", "-c", "echo 'trainyard: there is no such file' >&2; exit 1"),
                Map.of(),
                log);
        try (var process = launch.start()) {
            assertThatThrownBy(() -> ComponentReadiness.await(launch, process, Duration.ofSeconds(60)))
                    .isInstanceOf(TestClusterException.class)
                    .hasMessage(
                            "the webhook ended before it was ready. The end of its log:%ntrainyard: there is no such file%nAll of it: %s",
                            log);
        }
    }
}
