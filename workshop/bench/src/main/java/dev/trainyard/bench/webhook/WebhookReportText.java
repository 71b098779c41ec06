package dev.trainyard.bench.webhook;

import dev.trainyard.bench.measure.Goal;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A formatter of a {@link WebhookReport} as text. */
public final class WebhookReportText {

    private static final double MIB = 1 << 20;

    private WebhookReportText() {}

    public static String of(WebhookReport report) {
        var text = new StringBuilder();
        line(
                text,
                "Measures AdmissionReviews over HTTPS with keep-alive. The floor is a minimal handler on the same HTTPS server, which");
        line(text, "reads the body and answers with the webhook's bytes, prepared. A ratio is webhook / floor.");
        line(text, "%s", report.machine());
        line(text, "JVM options of both: %s", String.join(" ", report.jvmOptions()));
        line(
                text,
                "Medians of %d rounds of %s s each; percentiles over the latencies of all rounds.",
                report.rounds(),
                Goal.number(report.secondsPerRound()));
        if (!report.comparisons().isEmpty()) {
            line(text, "");
            comparisons(text, report);
            line(text, "");
            line(
                    text,
                    "Latencies and CPU in us; CPU is the server's, per request. busy: CPUs that the server kept busy (webhook/floor).");
        }
        if (!report.starts().isEmpty()) {
            line(text, "");
            starts(text, report);
        }
        line(text, "");
        line(text, "%s", Goal.HEAD);
        report.targets().forEach(target -> line(text, "%s", target.line()));
        return text.toString();
    }

    private static void comparisons(StringBuilder text, WebhookReport report) {
        line(
                text,
                "%6s %-9s %5s | %9s %9s %5s | %6s %6s %6s %6s %5s | %6s %6s | %6s %6s %5s | %s",
                "body",
                "pod",
                "conns",
                "req/s",
                "floor",
                "ratio",
                "p50",
                "floor",
                "p99",
                "floor",
                "ratio",
                "p99.9",
                "floor",
                "CPU",
                "floor",
                "ratio",
                "busy");
        for (var c : report.comparisons()) {
            line(
                    text,
                    "%6s %-9s %5d | %9.0f %9.0f %5.2f | %6.0f %6.0f %6.0f %6.0f %5.2f | %6.0f %6.0f | %6.1f %6.1f %5.2f | %.2f/%.2f",
                    c.bodyBytes() / 1024 + " KiB",
                    c.pod().word(),
                    c.connections(),
                    c.webhook().requestsPerSecond(),
                    c.floor().requestsPerSecond(),
                    c.throughputRatio(),
                    c.webhook().p50(),
                    c.floor().p50(),
                    c.webhook().p99(),
                    c.floor().p99(),
                    c.p99Ratio(),
                    c.webhook().p999(),
                    c.floor().p999(),
                    c.webhook().cpu(),
                    c.floor().cpu(),
                    c.cpuRatio(),
                    c.webhook().busy(),
                    c.floor().busy());
        }
    }

    private static void starts(StringBuilder text, WebhookReport report) {
        line(text, "%5s %9s %11s %13s %15s", "start", "ready ms", "memory MiB", "handshake ms", "first answer ms");
        for (int i = 0; i < report.starts().size(); i++) {
            var start = report.starts().get(i);
            line(
                    text,
                    "%5d %9.0f %11s %13.1f %15.1f",
                    i + 1,
                    start.readyMillis(),
                    mib(start.residentBytes()),
                    start.handshakeMillis(),
                    start.firstAnswerMillis());
        }
        line(text, "Memory after all load: %s MiB.", mib(report.residentBytesAfterLoad()));
    }

    private static String mib(@Nullable Long bytes) {
        return bytes == null ? "-" : String.format(Locale.ROOT, "%.0f", bytes / MIB);
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
