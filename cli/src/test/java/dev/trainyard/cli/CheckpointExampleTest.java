package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.PythonEnvironment;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The training of {@code manifests/examples/checkpoint-tensorflow.yaml} as a process. The test does what the kubelet does: it writes the file
 * of the pod's annotations, and sends SIGTERM.
 */
@Tag("slow")
@Timeout(300)
class CheckpointExampleTest {

    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final String TENSORFLOW = "2.21.0";
    private static final long ENDLESS = 1_000_000_000;
    private static final int TERMINATED = 143;
    private static final Pattern SAVED = Pattern.compile("saved after step (\\d+)");

    private static Path python;

    @TempDir
    Path directory;

    private Path script;
    private Path annotations;

    @BeforeAll
    static void install() throws IOException, InterruptedException {
        var home = ROOT.resolve("cli").resolve("target").resolve("tensorflow-" + TENSORFLOW);
        python = new PythonEnvironment(home, List.of("tensorflow-cpu==" + TENSORFLOW)).interpreter();
    }

    @BeforeEach
    void takeTheScriptFromTheExample() throws IOException {
        script = directory.resolve("main.py");
        annotations = directory.resolve("annotations");
        var yaml = Files.readString(ROOT.resolve("manifests/examples/checkpoint-tensorflow.yaml"));
        ConfigMap config = Serialization.unmarshal(yaml.substring(0, yaml.indexOf("\n---\n")), ConfigMap.class);
        Files.writeString(script, config.getData().get("main.py"));
    }

    @Test
    void savesBeforeEachEndAndLosesNothing() throws Exception {
        long first;
        try (var training = new Training("checkpoints", ENDLESS)) {
            training.nextSaved();
            training.terminate();
            first = training.lastSaved();
            assertThat(training.exitCode()).isEqualTo(TERMINATED);
        }

        long second;
        try (var training = new Training("checkpoints", ENDLESS)) {
            assertThat(training.line()).isEqualTo("resumed after step " + first);
            training.nextSaved();
            training.terminate();
            second = training.lastSaved();
            assertThat(training.exitCode()).isEqualTo(TERMINATED);
        }
        assertThat(second).isGreaterThan(first);

        String resumed;
        try (var training = new Training("checkpoints", second + 50)) {
            assertThat(training.line()).isEqualTo("resumed after step " + second);
            resumed = training.completion();
            assertThat(training.exitCode()).isZero();
        }
        try (var training = new Training("others", second + 50)) {
            assertThat(training.completion()).isEqualTo(resumed);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"checkpoint-since", "ends-at"})
    void savesAndGoesOnWhenSomethingIsAnnounced(String annotation) throws Exception {
        try (var training = new Training("checkpoints", ENDLESS)) {
            long saved = training.nextSaved();
            // The training also saves its state at each thousandth step.
            for (int i = 0; saved % 1000 == 0; i++) {
                announce("trainyard.dev/%s=\"%d\"".formatted(annotation, i));
                saved = training.nextSaved();
            }
            assertThat(training.nextSaved()).isGreaterThan(saved);
        }
    }

    private void announce(String annotation) throws IOException {
        var changed = Files.writeString(directory.resolve("annotations.new"), annotation + "\n");
        Files.move(changed, annotations, StandardCopyOption.ATOMIC_MOVE);
    }

    private final class Training implements AutoCloseable {

        private final Process process;
        private final BufferedReader output;

        Training(String checkpoints, long steps) throws IOException {
            var builder = new ProcessBuilder(python.toString(), script.toString())
                    .redirectError(directory.resolve("errors").toFile());
            builder.environment()
                    .putAll(Map.of(
                            "CHECKPOINTS",
                            directory.resolve(checkpoints).toString(),
                            "ANNOTATIONS",
                            annotations.toString(),
                            "STEPS",
                            String.valueOf(steps)));
            process = builder.start();
            output = process.inputReader();
        }

        String line() throws IOException {
            var line = output.readLine();
            assertThat(line).as(() -> "the training has ended: " + errors()).isNotNull();
            return line;
        }

        /** Waits until the training has saved its state, and returns after which step. */
        long nextSaved() throws IOException {
            var saved = SAVED.matcher(line());
            assertThat(saved.matches()).isTrue();
            return Long.parseLong(saved.group(1));
        }

        /** Waits until the training has ended, and returns after which step it saved its state last. */
        long lastSaved() throws IOException {
            long last = nextSaved();
            for (var line = output.readLine(); line != null; line = output.readLine()) {
                var saved = SAVED.matcher(line);
                last = saved.matches() ? Long.parseLong(saved.group(1)) : last;
            }
            return last;
        }

        String completion() throws IOException {
            var line = line();
            while (!line.startsWith("completed ")) {
                line = line();
            }
            return line;
        }

        /** Sends SIGTERM. {@link Process#destroy} would close the output, too. */
        void terminate() {
            process.toHandle().destroy();
        }

        int exitCode() throws InterruptedException {
            return process.waitFor();
        }

        private String errors() {
            try {
                return Files.readString(directory.resolve("errors"));
            } catch (IOException e) {
                return e.toString();
            }
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }
}
