package dev.trainyard.workshop.demo;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.trainyard.workshop.cluster.Cloud;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the demo found; with {@code --output json}, its one JSON document.
 *
 * @param kubernetes the version that the API server says it has, such as {@code v1.36.3}; or {@code simulated}
 * @param cloud whose pools they were, such as {@code kwok}
 * @param error why there are no scenarios; absent when there are
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
     * One scenario.
     *
     * @param result what was seen when ok, else what did not happen
     */
    public record Played(String name, boolean ok, double seconds, String result, List<Event> events) {}

    /**
     * An event of the demo.
     *
     * @param t seconds since the demo began
     */
    public record Event(double t, String who, String what, String object) {
        static Event of(Happening happening) {
            return new Event(happening.at().toMillis() / 1000.0, happening.who(), happening.what(), happening.object());
        }
    }

    static DemoReport of(String kubernetes, Cloud cloud, List<Played> scenarios) {
        return new DemoReport(
                kubernetes,
                cloud.word(),
                List.copyOf(scenarios),
                null,
                scenarios.stream().allMatch(Played::ok));
    }

    /** The report of a demo that could not even begin. */
    public static DemoReport failed(Cloud cloud, String error) {
        return new DemoReport("none", cloud.word(), List.of(), error, false);
    }

    /** The table at the end. */
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
