package dev.trainyard.bench.extender;

import dev.trainyard.bench.measure.Goal;
import java.util.Locale;

/** A formatter of an {@link ExtenderReport} as text with at most 100 characters in a line. */
public final class ExtenderReportText {

    private ExtenderReportText() {}

    public static String of(ExtenderReport report) {
        var text = new StringBuilder();
        line(text, "Measures the scheduler's calls about a pod: node names only, HTTPS, with a client certificate.");
        line(text, "The floor is a minimal extender on the same HTTPS server, which only returns names. A ratio");
        var fewer = " prioritize is called with the 99 % of the names that filter lets pass.";
        line(text, "is extender / floor.%s", hasPrioritize(report) ? fewer : "");
        line(text, "%s. The extender knows %d nodes.", report.machine(), report.nodes());
        line(text, "JVM options of both: %s", String.join(" ", report.jvmOptions()));
        line(
                text,
                "Medians of %d rounds of %s s each; percentiles and req/s over the latencies of all rounds.",
                report.rounds(),
                Goal.number(report.secondsPerRound()));
        if (!report.comparisons().isEmpty()) {
            line(text, "");
            verbs(text, report);
            line(text, "");
            pods(text, report);
        }
        if (!report.cold().isEmpty()) {
            line(text, "");
            cold(text, report);
        }
        line(text, "");
        line(text, "%s", Goal.HEAD);
        report.targets().forEach(target -> line(text, "%s", target.line()));
        return text.toString();
    }

    private static boolean hasPrioritize(ExtenderReport report) {
        return report.comparisons().stream()
                .flatMap(comparison -> comparison.verbs().stream())
                .anyMatch(comparison -> comparison.verb() == Verb.PRIORITIZE);
    }

    private static void verbs(StringBuilder text, ExtenderReport report) {
        line(
                text,
                "Latencies in us. req/s: connections / mean latency. conns 1: one call at a time, as the scheduler.");
        line(
                text,
                "%5s %5s %-10s | %6s %6s %5s | %6s %6s %5s | %6s %6s | %6s %6s",
                "names",
                "conns",
                "verb",
                "p50",
                "floor",
                "ratio",
                "p99",
                "floor",
                "ratio",
                "p99.9",
                "floor",
                "req/s",
                "floor");
        for (var c : report.comparisons()) {
            for (var v : c.verbs()) {
                line(
                        text,
                        "%5d %5d %-10s | %6.0f %6.0f %5.2f | %6.0f %6.0f %5.2f | %6.0f %6.0f | %6.0f %6.0f",
                        c.names(),
                        c.connections(),
                        v.verb().word(),
                        v.extender().p50(),
                        v.floor().p50(),
                        v.p50Ratio(),
                        v.extender().p99(),
                        v.floor().p99(),
                        v.p99Ratio(),
                        v.extender().p999(),
                        v.floor().p999(),
                        v.requestsPerSecond(),
                        v.floorRequestsPerSecond());
            }
        }
    }

    private static void pods(StringBuilder text, ExtenderReport report) {
        line(text, "All calls per pod. pods/s: upper limit. CPU: the server's, in us. busy: CPUs that it kept busy.");
        line(
                text,
                "%5s %5s | %8s %8s %5s | %8s %8s %5s | %s",
                "names",
                "conns",
                "pods/s",
                "floor",
                "ratio",
                "CPU/pod",
                "floor",
                "ratio",
                "busy/floor");
        for (var c : report.comparisons()) {
            line(
                    text,
                    "%5d %5d | %8.1f %8.1f %5.2f | %8.0f %8.0f %5.2f | %.2f/%.2f",
                    c.names(),
                    c.connections(),
                    c.podsPerSecond(),
                    c.floorPodsPerSecond(),
                    c.podsRatio(),
                    c.cpu(),
                    c.floorCpu(),
                    c.cpuRatio(),
                    c.extender().busy(),
                    c.floor().busy());
        }
    }

    private static void cold(StringBuilder text, ExtenderReport report) {
        line(text, "First calls to new processes that report ready, one at a time, in us.");
        line(text, "%5s %-10s %5s | %8s %8s | %8s %8s", "names", "verb", "calls", "p50", "floor", "slowest", "floor");
        for (var c : report.cold()) {
            line(
                    text,
                    "%5d %-10s %5d | %8.0f %8.0f | %8.0f %8.0f",
                    c.names(),
                    c.verb().word(),
                    c.calls(),
                    c.p50(),
                    c.floorP50(),
                    c.slowest(),
                    c.floorSlowest());
        }
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
