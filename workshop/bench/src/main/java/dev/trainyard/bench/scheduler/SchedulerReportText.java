package dev.trainyard.bench.scheduler;

import dev.trainyard.bench.measure.Goal;
import java.util.Locale;

/** A formatter of a {@link SchedulerReport} as text with at most 100 characters in a line. */
public final class SchedulerReportText {

    private SchedulerReportText() {}

    public static String of(SchedulerReport report) {
        var text = new StringBuilder();
        line(
                text,
                "A real kube-scheduler %s %s",
                report.kubernetes(),
                report.profile().introduction());
        line(text, "exist when it starts. pods/s: from the first binding to the last. seconds: from the scheduler's");
        line(text, "start to the last binding. ratio: pods/s with / without. from start: the same ratio,");
        line(text, "from the scheduler's start. With an extender, the scheduler turns opportunistic batching off.");
        line(text, "%s. %,d nodes of 8 GPUs in 4 pools.", report.machine(), report.nodes());
        if (report.profile() == MeasuredProfile.EXTENDER) {
            line(text, "JVM options of the extender: %s", String.join(" ", report.jvmOptions()));
        }
        report.comparisons().forEach(comparison -> comparison(text, report, comparison));
        line(text, "");
        line(text, "%s", Goal.HEAD);
        report.targets().forEach(target -> line(text, "%s", target.line()));
        return text.toString();
    }

    private static void comparison(StringBuilder text, SchedulerReport report, SchedulerComparison comparison) {
        line(text, "");
        line(
                text,
                "%,d pods; schedulers may call the API server %,d times a second (burst %,d).",
                comparison.pods(),
                comparison.rate().qps(),
                comparison.rate().burst());
        line(
                text,
                "%6s | %8s %8s %6s | %8s %8s %10s",
                "round",
                "pods/s",
                "without",
                "ratio",
                "seconds",
                "without",
                "from start");
        int round = 0;
        for (var pair : comparison.pairs()) {
            line(
                    text,
                    "%6d | %8.1f %8.1f %6.2f | %8.2f %8.2f %10.2f",
                    ++round,
                    pair.with().podsPerSecond(),
                    pair.without().podsPerSecond(),
                    pair.ratio(),
                    pair.with().secondsFromStart(),
                    pair.without().secondsFromStart(),
                    pair.ratioFromStart());
        }
        line(
                text,
                "%6s | %8s %8s %6.2f | %8s %8s %10.2f",
                "median",
                "",
                "",
                comparison.ratio(),
                "",
                "",
                comparison.ratioFromStart());
        cpu(text, comparison);
        if (report.profile() == MeasuredProfile.EXTENDER) {
            calls(text, comparison);
        }
    }

    private static void cpu(StringBuilder text, SchedulerComparison comparison) {
        line(text, "CPU for a pod, in us; others: controller manager, kwok and this program");
        line(
                text,
                "%6s %-8s | %9s %9s %16s %9s %9s",
                "round",
                "extender",
                "scheduler",
                "extender",
                "API server, etcd",
                "others",
                "all");
        int round = 0;
        for (var pair : comparison.pairs()) {
            round++;
            cpu(text, round, "with", pair.with().cpu());
            cpu(text, round, "without", pair.without().cpu());
        }
    }

    private static void cpu(StringBuilder text, int round, String side, Cpu cpu) {
        line(
                text,
                "%6d %-8s | %9.0f %9.0f %16.0f %9.0f %9.0f",
                round,
                side,
                cpu.scheduler(),
                cpu.extender(),
                cpu.apiServer(),
                cpu.others(),
                cpu.total());
    }

    private static void calls(StringBuilder text, SchedulerComparison comparison) {
        line(text, "Calls as the extender saw them, in us; p50 and p99 are estimated from its histogram");
        line(text, "%6s %-10s | %6s %8s %8s %8s", "round", "verb", "calls", "mean", "p50", "p99");
        int round = 0;
        for (var pair : comparison.pairs()) {
            round++;
            var calls = pair.with().calls();
            if (calls != null) {
                calls(text, round, "filter", calls.filter());
                if (calls.prioritize().count() > 0) {
                    calls(text, round, "prioritize", calls.prioritize());
                }
            }
        }
    }

    private static void calls(StringBuilder text, int round, String verb, Calls calls) {
        line(
                text,
                "%6d %-10s | %6d %8.0f %8.0f %8.0f",
                round,
                verb,
                calls.count(),
                calls.mean(),
                calls.p50(),
                calls.p99());
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
