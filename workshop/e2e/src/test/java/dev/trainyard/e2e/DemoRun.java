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
import java.util.stream.StreamSupport;

/** A completed run of {@code trainyard demo} in a separate process, as a script starts it. */
record DemoRun(int exitCode, String out, String err) {

    private static final Pattern RECLAIM =
            Pattern.compile("a machine of reclaim-ondemand was requested at (?<requested>[0-9.]+) s,"
                    + " and the pod was evicted at (?<evicted>[0-9.]+) s;"
                    + " the pod returned to spot: a machine of reclaim-spot was requested at (?<requestedAgain>[0-9.]+) s,"
                    + " and the pod was evicted at (?<evictedAgain>[0-9.]+) s;"
                    + " the Job completed and counts no failure; no on-demand machine remains");

    private static final Pattern GANGS = Pattern.compile("all 8 pods of (pretrain|finetune) got nodes within [0-9.]+ s,"
            + " and after it had completed, all 8 pods of (pretrain|finetune) got nodes within [0-9.]+ s;"
            + " ([89]|1[0-2]) machines were requested for 16 pods; no machine remains");

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
     * Checks the scenario {@code reclaim} of a report: a machine is requested before the pod is evicted, and so is another one when the
     * pod returns to spot.
     *
     * @param sign the sign that announces the reclaim
     */
    static void checkReclaim(JsonNode report, String sign) {
        var scenario = scenario(report, "reclaim");
        assertThat(events(scenario))
                .contains("announces a reclaim: " + sign)
                .anyMatch(event -> event.startsWith("evicted, with "));
        var result = RECLAIM.matcher(scenario.path("result").asText());
        assertThat(result.matches()).as(scenario.path("result").asText()).isTrue();
        assertThat(Stream.of("requested", "evicted", "requestedAgain", "evictedAgain")
                        .map(moment -> Double.parseDouble(result.group(moment))))
                .isSorted();
    }

    /** Checks the scenario {@code gangs} of a report: the second gang starts with the machines of the first. */
    static void checkGangs(JsonNode report) {
        var scenario = scenario(report, "gangs");
        assertThat(scenario.path("result").asText()).matches(GANGS);
        assertThat(events(scenario))
                .filteredOn(event -> event.startsWith("GangStarts: all 8 pods of gang "))
                .hasSize(16);
    }

    private static JsonNode scenario(JsonNode report, String name) {
        return StreamSupport.stream(report.path("scenarios").spliterator(), false)
                .filter(scenario -> scenario.path("name").asText().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the texts of a scenario's events in the report. */
    static List<String> events(JsonNode scenario) {
        var events = new ArrayList<String>();
        scenario.path("events").forEach(event -> events.add(event.path("what").asText()));
        return events;
    }
}
