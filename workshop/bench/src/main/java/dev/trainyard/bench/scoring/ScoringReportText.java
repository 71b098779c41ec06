package dev.trainyard.bench.scoring;

import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

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
        unplaced(text, report);
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

    private static void unplaced(StringBuilder text, ScoringReport report) {
        line(text, "Pods without a node at 130 %%, by the GPUs of the pod, on average.");
        var policies = report.policies();
        if (policies.isEmpty()) {
            return;
        }
        var arrived = policies.get(0).arrived();
        line(text, "%-20s %s", "policy", row(arrived.keySet(), size -> size));
        for (var policy : policies) {
            line(
                    text,
                    "%-20s %s",
                    policy.name(),
                    row(arrived.keySet(), size -> number(policy.unplaced().getOrDefault(size, 0.0))));
        }
        line(
                text,
                "%-20s %s",
                "pods that came",
                row(arrived.keySet(), size -> number(arrived.getOrDefault(size, 0.0))));
    }

    private static String row(Set<String> sizes, UnaryOperator<String> cell) {
        return sizes.stream()
                .map(size -> String.format(Locale.ROOT, "%8s", cell.apply(size)))
                .collect(Collectors.joining());
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
