package dev.trainyard.workshop.demo;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.trainyard.workshop.cluster.ChosenCloud;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The results of the demo. {@code --output json} prints them as one JSON document.
 *
 * @param kubernetes the API server's version, such as {@code v1.36.3}; or {@code simulated}
 * @param cloud the cloud of the pools, such as {@code kwok}
 * @param error why the demo failed before its scenarios; null if the scenarios ran
 */
@JsonPropertyOrder({"kubernetes", "cloud", "scenarios", "error", "ok"})
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DemoReport(
        String kubernetes,
        String cloud,
        List<Played> scenarios,
        @Nullable String error,
        boolean ok) {

    /**
     * The result of a scenario.
     *
     * @param result the observed result if the scenario succeeded, else the event that did not happen
     */
    public record Played(String name, boolean ok, double seconds, String result, List<Event> events) {}

    /**
     * An event of the demo.
     *
     * @param t seconds since the start of the demo
     */
    public record Event(double t, String who, String what, String object) {
        static Event of(TimelineEvent happening) {
            return new Event(happening.at().toMillis() / 1000.0, happening.who(), happening.what(), happening.object());
        }
    }

    static DemoReport of(String kubernetes, ChosenCloud cloud, List<Played> scenarios) {
        return new DemoReport(
                kubernetes,
                cloud.word(),
                List.copyOf(scenarios),
                null,
                scenarios.stream().allMatch(Played::ok));
    }

    /** Returns the report of a demo that failed before its scenarios. */
    public static DemoReport failed(ChosenCloud cloud, String error) {
        return new DemoReport("none", cloud.word(), List.of(), error, false);
    }

    /** Returns the table of results, for the end of the demo. */
    String table() {
        var table = new StringBuilder();
        table.append(String.format(Locale.ROOT, "%-10s %-6s %8s  %s%n", "SCENARIO", "OK", "SECONDS", "RESULT"));
        for (var played : scenarios) {
            table.append(String.format(
                    Locale.ROOT,
                    "%-10s %-6s %8.1f  %s%n",
                    played.name(),
                    played.ok() ? "yes" : "NO",
                    played.seconds(),
                    played.result()));
        }
        return table.toString().stripTrailing();
    }
}
