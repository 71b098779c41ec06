package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TracePodKind;
import java.util.Arrays;
import java.util.Locale;

/** A formatter of a {@link ScoringReport} as text with at most 100 columns. */
public final class ScoringReportText {

    private ScoringReportText() {}

    public static String of(ScoringReport report) {
        var text = new StringBuilder();
        line(
                text,
                "%s%s: %d nodes, %d GPUs; %d orders of about %d pods, which stay.",
                report.trace(),
                report.wholeGpus() ? ", whole GPUs only" : "",
                report.nodes(),
                report.gpus(),
                report.seeds(),
                report.pods());
        line(text, "SHA-256 of nodes and arrivals: %s", report.sha256());
        line(
                text,
                "Scheduler: looks at %s of the nodes, ties: %s. * over HTTPS; the others in this process.",
                report.percentageOfNodes().equals("default") ? "its default share" : report.percentageOfNodes() + " %",
                report.ties());
        line(text, "");
        allocations(text, report);
        line(text, "");
        failures(text, report);
        line(text, "");
        report.targets()
                .forEach(target -> line(
                        text,
                        "%-60s %7.3f %s %7.3f  %s",
                        target.policy() + " / " + target.what(),
                        target.value(),
                        target.orEqual() ? ">=" : "> ",
                        target.limit(),
                        target.met() ? "met" : "MISSED"));
        return text.toString();
    }

    private static void allocations(StringBuilder text, ScoringReport report) {
        line(
                text,
                "GPUs allocated, in percent, after pods asked for 100 %% and 130 %% of all GPUs. difference and won:");
        line(
                text,
                "against most-allocated-gpu at 130 %%, by order of arrival. p: sign test, the chance of so many wins.");
        line(
                text,
                "%-20s %7s %5s %7s %5s %10s %7s %6s %8s %8s",
                "policy",
                "100 %",
                "sd",
                "130 %",
                "sd",
                "difference",
                "won",
                "p",
                "p50 us",
                "p99 us");
        for (var policy : report.policies()) {
            boolean yardstick = policy.name().equals(Baseline.MOST_ALLOCATED_GPU.word());
            line(
                    text,
                    "%-20s %7.2f %5.2f %7.2f %5.2f %10s %7s %6s %8.0f %8.0f",
                    policy.name() + (policy.overHttp() ? " *" : ""),
                    policy.allocated100(),
                    policy.sd100(),
                    policy.allocated130(),
                    policy.sd(),
                    yardstick ? "-" : String.format(Locale.ROOT, "%+.2f", policy.difference()),
                    yardstick ? "-" : policy.won() + "/" + report.seeds(),
                    yardstick ? "-" : String.format(Locale.ROOT, "%.3f", policy.signTest()),
                    policy.p50Micros(),
                    policy.p99Micros());
        }
    }

    private static void failures(StringBuilder text, ScoringReport report) {
        line(text, "Pods without a node, of all that came, on average.");
        line(text, "%-20s %s", "policy", row(kind -> kind.word()));
        for (var policy : report.policies()) {
            line(
                    text,
                    "%-20s %s",
                    policy.name(),
                    row(kind -> number(policy.failed().getOrDefault(kind.word(), 0.0))));
        }
        report.policies().stream()
                .findFirst()
                .ifPresent(policy -> line(
                        text,
                        "%-20s %s",
                        "pods that came",
                        row(kind -> number(policy.arrived().getOrDefault(kind.word(), 0.0)))));
    }

    private interface Cell {
        String of(TracePodKind kind);
    }

    private static String row(Cell cell) {
        var row = new StringBuilder();
        Arrays.stream(TracePodKind.values())
                .forEach(kind -> row.append(String.format(Locale.ROOT, "%10s", cell.of(kind))));
        return row.toString();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
