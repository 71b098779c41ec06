package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A completed run of {@code trainyard demo} in a separate process, as a script starts it. */
record DemoRun(int exitCode, String out, String err) {

    private static final Pattern RECLAIM =
            Pattern.compile("a machine of reclaim-ondemand was requested at (?<requested>[0-9.]+) s,"
                    + " and the pod was evicted at (?<evicted>[0-9.]+) s;"
                    + " the pod returned to spot: a machine of reclaim-spot was requested at (?<requestedAgain>[0-9.]+) s,"
                    + " and the pod was evicted at (?<evictedAgain>[0-9.]+) s;"
                    + " the Job completed and counts no failure; no on-demand machine remains");

    /**
     * @param directory directory for its output
     * @param environment the environment variables to add to those of this process
     */
    static DemoRun of(Path directory, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:+UseSerialGC", // the same JVM options as in ./trainyard
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + Path.of("target").toAbsolutePath(),
                "-cp",
                System.getProperty("java.class.path"),
                "dev.trainyard.workshop.Workshop",
                "demo"));
        command.addAll(List.of(arguments));
        var out = directory.resolve("out");
        var err = directory.resolve("err");
        var builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().putAll(environment);
        var process = builder.start();
        try {
            int exitCode = process.waitFor();
            return new DemoRun(exitCode, Files.readString(out), Files.readString(err));
        } finally {
            process.destroyForcibly();
        }
    }

    /** Returns the single document of {@code --output json}. */
    JsonNode report() throws JsonProcessingException {
        return new ObjectMapper().readTree(out);
    }

    /**
     * Checks the last scenario of a report, {@code reclaim}: a machine is requested before the pod is evicted, and so is another one when the
     * pod returns to spot.
     *
     * @param sign the sign that announces the reclaim
     */
    static void checkReclaim(JsonNode report, String sign) {
        var scenarios = report.path("scenarios");
        var scenario = scenarios.get(scenarios.size() - 1);
        assertThat(scenario.path("name").asText()).isEqualTo("reclaim");
        assertThat(events(scenario))
                .contains("announces a reclaim: " + sign)
                .anyMatch(event -> event.startsWith("evicted, with "));
        var result = RECLAIM.matcher(scenario.path("result").asText());
        assertThat(result.matches()).as(scenario.path("result").asText()).isTrue();
        assertThat(Stream.of("requested", "evicted", "requestedAgain", "evictedAgain")
                        .map(moment -> Double.parseDouble(result.group(moment))))
                .isSorted();
    }

    /** Returns the texts of a scenario's events in the report. */
    static List<String> events(JsonNode scenario) {
        var events = new ArrayList<String>();
        scenario.path("events").forEach(event -> events.add(event.path("what").asText()));
        return events;
    }
}
