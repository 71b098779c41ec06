package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A run of {@code trainyard bench} in a process of its own, as users start it. */
final class BenchRun {

    private BenchRun() {}

    /**
     * Runs the command, and checks that it ends in time and successfully, and leaves no temporary files behind.
     *
     * @param directory an empty directory for the output and for temporary files
     * @return what the command printed as JSON
     */
    static JsonNode of(Path directory, Duration timeout, String... arguments) throws Exception {
        var out = directory.resolve("out");
        var err = directory.resolve("err");
        var temporary = Files.createDirectory(directory.resolve("tmp"));
        var command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                "dev.trainyard.workshop.Workshop",
                "bench"));
        command.addAll(List.of(arguments));
        command.add("--output=json");
        var process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            assertThat(process.waitFor(timeout.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(Files.readString(err)).isZero();
            assertThat(temporary).isEmptyDirectory();
            return new ObjectMapper().readTree(out.toFile());
        } finally {
            process.destroyForcibly();
        }
    }
}
