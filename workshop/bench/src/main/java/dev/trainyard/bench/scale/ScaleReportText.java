package dev.trainyard.bench.scale;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A formatter of a {@link ScaleReport} as text with at most 100 characters in a line. */
public final class ScaleReportText {

    private static final double KIBI = 1024;

    private ScaleReportText() {}

    public static String of(ScaleReport report) {
        var text = new StringBuilder();
        line(
                text,
                "Kubernetes %s: %,d nodes, and up to %,d that come and go. %,d pods in %.0f s came and went.",
                report.kubernetes(),
                report.fixedNodes(),
                report.elasticNodes(),
                report.pods(),
                report.seconds());
        line(text, "%s", report.machine());
        line(
                text,
                "Set-up took %.0f s. The last pod ended after %.0f s. The scaler removed %,d nodes.",
                report.setUpSeconds(),
                report.secondsToLastEnd(),
                report.servers().removedNodes());
        line(
                text,
                "From a pod's creation to its start, in s: p50 %.0f, p99 %.0f, max %.0f",
                report.startMillis().p50() / 1e3,
                report.startMillis().p99() / 1e3,
                report.startMillis().max() / 1e3);
        line(text, "");
        memory(text, report);
        work(text, report);
        durations(text, report.servers());
        line(text, "");
        line(text, "%s", GrowthTarget.HEAD);
        report.targets().forEach(target -> line(text, "%s", target.line()));
        report.components().stream()
                .filter(component ->
                        component.targets().stream().anyMatch(target -> target.verdict() != GrowthTarget.Verdict.FLAT))
                .forEach(component -> grown(text, component));
        return text.toString();
    }

    private static void memory(StringBuilder text, ScaleReport report) {
        line(text, "After the first third of the pods: a straight line through the samples, from its start to its");
        line(text, "end, and its growth for each 1,000 pods with its standard error. heap: live objects.");
        line(text, "%-14s | %6s %6s %14s | %6s %6s %14s", "MiB", "heap", "to", "growth", "RSS", "to", "growth");
        for (var component : report.components()) {
            line(text, "%-14s | %s | %s", component.name(), trend(component.heap()), trend(component.resident()));
        }
        line(text, "");
    }

    private static String trend(@Nullable Trend trend) {
        return trend == null
                ? "%6s %6s %14s".formatted("-", "-", "-")
                : String.format(
                        Locale.ROOT,
                        "%6.1f %6.1f %6.2f +-%5.2f",
                        trend.from(),
                        trend.to(),
                        trend.perThousand(),
                        trend.error());
    }

    private static void work(StringBuilder text, ScaleReport report) {
        line(text, "lag: from the answer to a write until the component's watch has delivered the write, in ms.");
        line(
                text,
                "%-9s | %7s %7s %7s | %13s %13s | %15s %11s",
                "",
                "lag p50",
                "p99",
                "max",
                "API calls/pod",
                "(its cloud's)",
                "threads, files",
                "CPU ms/pod");
        for (var component : report.components()) {
            var first = component.warmSample(report.pods());
            var last = component.lastSample();
            line(
                    text,
                    "%-9s | %7.0f %7.0f %7.0f | %13.2f %13s | %15s %11.1f",
                    component.name(),
                    component.lagMillis().p50(),
                    component.lagMillis().p99(),
                    component.lagMillis().max(),
                    component.callsPerPod(),
                    component.cloudCallsPerPod() == 0
                            ? ""
                            : String.format(Locale.ROOT, "%.2f", component.cloudCallsPerPod()),
                    "%d-%d, %d-%d".formatted(first.threads(), last.threads(), first.descriptors(), last.descriptors()),
                    component.cpuMillisPerPod());
        }
        line(text, "");
    }

    private static void durations(StringBuilder text, ServerFigures servers) {
        line(text, "In ms, by the components' metrics; percentiles are estimated from histograms");
        line(text, "%-28s %8s %8s %8s %8s", "", "number", "mean", "p50", "p99");
        line(text, "scaler: rounds", servers.rounds());
        line(text, "webhook: answered reviews", servers.reviews());
        line(text, "extender: chosen nodes", servers.choices());
        line(
                text,
                "Failed rounds: %d. Pods placed without an answer of the extender: %d.",
                servers.failedRounds(),
                servers.unaskedPods());
    }

    private static void line(StringBuilder text, String what, ServerFigures.Durations durations) {
        line(
                text,
                "%-28s %8d %8.1f %8.1f %8.1f",
                what,
                durations.count(),
                durations.mean(),
                durations.p50(),
                durations.p99());
    }

    private static void grown(StringBuilder text, ComponentReport component) {
        line(text, "");
        line(text, "Classes of the %s that grew most after the first third of the pods, in KiB", component.name());
        component.grown().forEach(growth -> line(text, "%10.1f  %s", growth.bytes() / KIBI, growth.name()));
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
