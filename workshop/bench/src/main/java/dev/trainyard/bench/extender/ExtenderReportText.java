package dev.trainyard.bench.extender;

import dev.trainyard.bench.measure.Goal;
import dev.trainyard.bench.measure.ReferenceServer;
import java.util.List;
import java.util.Locale;

/** A formatter of an {@link ExtenderReport} as text with at most 100 characters in a line. */
public final class ExtenderReportText {

    private ExtenderReportText() {}

    public static String of(ExtenderReport report) {
        var text = new StringBuilder();
        line(text, "Measures the scheduler's calls about a pod: node names only, HTTPS, with a client certificate.");
        line(text, "The floor is a minimal extender on the same HTTPS server, which only returns names. Go is a");
        line(text, "minimal extender in Go with the same answers. A ratio is extender / floor, or extender / Go.");
        if (hasPrioritize(report)) {
            line(text, "prioritize is called with the 99 %% of the names that filter lets pass.");
        }
        line(text, "%s. The extender knows %d nodes.", report.machine(), report.nodes());
        line(text, "JVM options of extender and floor: %s", String.join(" ", report.jvmOptions()));
        line(
                text,
                "Medians of %d rounds of %s s each; percentiles and req/s over the latencies of all rounds.",
                report.rounds(),
                Goal.number(report.secondsPerRound()));
        for (var beside : ReferenceServer.values()) {
            var comparisons = report.comparisons().stream()
                    .filter(comparison -> comparison.beside() == beside)
                    .toList();
            if (!comparisons.isEmpty()) {
                line(text, "");
                verbs(text, beside.word(), comparisons);
                line(text, "");
                pods(text, beside.word(), comparisons);
            }
            var cold = report.cold().stream()
                    .filter(calls -> calls.beside() == beside)
                    .toList();
            if (!cold.isEmpty()) {
                line(text, "");
                cold(text, beside.word(), cold);
            }
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

    private static void verbs(StringBuilder text, String beside, List<ExtenderComparison> comparisons) {
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
                beside,
                "ratio",
                "p99",
                beside,
                "ratio",
                "p99.9",
                beside,
                "req/s",
                beside);
        for (var c : comparisons) {
            for (var v : c.verbs()) {
                line(
                        text,
                        "%5d %5d %-10s | %6.0f %6.0f %5.2f | %6.0f %6.0f %5.2f | %6.0f %6.0f | %6.0f %6.0f",
                        c.names(),
                        c.connections(),
                        v.verb().word(),
                        v.extender().p50(),
                        v.baseline().p50(),
                        v.p50Ratio(),
                        v.extender().p99(),
                        v.baseline().p99(),
                        v.p99Ratio(),
                        v.extender().p999(),
                        v.baseline().p999(),
                        v.requestsPerSecond(),
                        v.baselineRequestsPerSecond());
            }
        }
    }

    private static void pods(StringBuilder text, String beside, List<ExtenderComparison> comparisons) {
        line(text, "All calls per pod. pods/s: upper limit. CPU: the server's, in us. busy: CPUs that it kept busy.");
        line(
                text,
                "%5s %5s | %8s %8s %5s | %8s %8s %5s | %s",
                "names",
                "conns",
                "pods/s",
                beside,
                "ratio",
                "CPU/pod",
                beside,
                "ratio",
                "busy/" + beside);
        for (var c : comparisons) {
            line(
                    text,
                    "%5d %5d | %8.1f %8.1f %5.2f | %8.0f %8.0f %5.2f | %.2f/%.2f",
                    c.names(),
                    c.connections(),
                    c.podsPerSecond(),
                    c.baselinePodsPerSecond(),
                    c.podsRatio(),
                    c.cpu(),
                    c.baselineCpu(),
                    c.cpuRatio(),
                    c.extender().busy(),
                    c.baseline().busy());
        }
    }

    private static void cold(StringBuilder text, String beside, List<FirstCallLatencies> cold) {
        line(text, "First calls to new processes that report ready, one at a time, in us.");
        line(text, "%5s %-10s %5s | %8s %8s | %8s %8s", "names", "verb", "calls", "p50", beside, "slowest", beside);
        for (var c : cold) {
            line(
                    text,
                    "%5d %-10s %5d | %8.0f %8.0f | %8.0f %8.0f",
                    c.names(),
                    c.verb().word(),
                    c.calls(),
                    c.p50(),
                    c.baselineP50(),
                    c.slowest(),
                    c.baselineSlowest());
        }
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
