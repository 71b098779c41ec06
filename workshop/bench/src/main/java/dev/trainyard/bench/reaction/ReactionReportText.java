package dev.trainyard.bench.reaction;

import dev.trainyard.bench.measure.Goal;
import dev.trainyard.bench.reaction.NoticeReaction.Checkpoints;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A formatter of a {@link ReactionReport} as text with at most 100 characters in a line. */
public final class ReactionReportText {

    private ReactionReportText() {}

    public static String of(ReactionReport report) {
        var text = new StringBuilder();
        line(
                text,
                "Time from PodScheduled=False, written by a real kube-scheduler %s, to the scaler's call to",
                report.kubernetes());
        line(text, "its simulated cloud, a ConfigMap. A watch sees both. %d pods, one at a time.", report.samples());
        line(text, "The floor is a client that reads and writes a ConfigMap as soon as its watch shows the condition.");
        line(text, "%s", report.machine());
        line(text, "JVM options of the scaler: %s", String.join(" ", report.jvmOptions()));
        line(text, "");
        line(text, "%-36s %8s %8s %8s %8s", "ms", "p50", "p90", "p99", "max");
        line(text, "reaction", report.reaction());
        line(text, "less the batch window of %d ms".formatted(report.batchWindowMillis()), report.withoutWindow());
        line(text, "floor", report.floor());
        line(text, "notice of a reclaim to the call", report.notice().request());
        line(text, "notice of a reclaim to the eviction", report.notice().eviction());
        line(text, "");
        line(text, "Share of evictions that leave time for a checkpoint. Assumed: the length of the notice and the");
        line(text, "duration of the checkpoint. Each grace period ends two seconds before the machine does.");
        report.notice().checkpoints().stream()
                .collect(Collectors.groupingBy(Checkpoints::notice, TreeMap::new, Collectors.toList()))
                .forEach((notice, rows) -> line(
                        text,
                        "%-36s %s",
                        "notice of %d s".formatted(notice),
                        rows.stream()
                                .map(row -> String.format(
                                        Locale.ROOT, "%3d s: %.1f %%", row.checkpoint(), 100 * row.share()))
                                .collect(Collectors.joining("   "))));
        line(text, "");
        line(text, "%s", Goal.HEAD);
        report.targets().forEach(target -> line(text, "%s", target.line()));
        return text.toString();
    }

    private static void line(StringBuilder text, String what, Times times) {
        line(text, "%-36s %8.1f %8.1f %8.1f %8.1f", what, times.p50(), times.p90(), times.p99(), times.max());
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
