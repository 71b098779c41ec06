package dev.trainyard.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.local.ControlPlaneComponent.Recipe;
import dev.trainyard.local.process.LogTail;
import dev.trainyard.local.process.SupervisedProcess.Launch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ControlPlaneComponentTest {
    @TempDir
    Path directory;

    private final List<Integer> ports = new ArrayList<>();

    @Test
    void triesAnotherPortWhenTheFirstOneIsTaken() {
        ControlPlaneComponent component = ControlPlaneComponent.start(
                port -> {
                    String script = ports.isEmpty()
                            ? "echo 'listen tcp: bind: address already in use'; exit 1"
                            : "echo is up; exec sleep 60";
                    return recipe(script).apply(port);
                },
                in(20));

        assertThat(ports).hasSize(2).endsWith(component.port());
        assertThat(component.process().isAlive()).isTrue();
        component.close();
        assertThat(component.process().isAlive()).isFalse();
    }

    @Test
    void showsTheEndOfTheLogWhenAProcessEnds() {
        assertThatThrownBy(() -> ControlPlaneComponent.start(recipe("echo 'unknown flag: --oops'; exit 3"), in(20)))
                .isInstanceOf(ControlPlaneException.class)
                .hasMessage("fake ended with exit code 3 before it was ready. The last lines of its log, "
                        + directory.resolve("fake.log") + ":\n  unknown flag: --oops");
        assertThat(ports).hasSize(1);
    }

    @Test
    void killsWhatIsNotReadyInTime() throws Exception {
        assertThatThrownBy(() -> ControlPlaneComponent.start(
                        recipe("echo $$; exec sleep 60"), Instant.now().plusMillis(500)))
                .hasMessageContaining("fake runs, but was not ready in time");

        long pid =
                Long.parseLong(Files.readString(directory.resolve("fake.log")).strip());
        assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
    }

    @Test
    void startsAgainOnTheSamePort() {
        ControlPlaneComponent component = ControlPlaneComponent.start(recipe("echo is up; exec sleep 60"), in(20));
        long pid = component.process().pid();

        component.restart(Duration.ofSeconds(20));

        assertThat(component.process().pid()).isNotEqualTo(pid);
        assertThat(ports).hasSize(1);
        component.close();
    }

    private IntFunction<Recipe> recipe(String script) {
        return port -> {
            ports.add(port);
            Path log = directory.resolve("fake.log");
            Launch launch = new Launch("fake", List.of("/bin/sh", "-c", script), log);
            return new Recipe(launch, () -> new LogTail(log, 0).contains("is up"));
        };
    }

    private static Instant in(int seconds) {
        return Instant.now().plusSeconds(seconds);
    }
}
