package dev.trainyard.bench.webhook;

import dev.trainyard.bench.measure.Goal;
import dev.trainyard.bench.measure.ReferenceServer;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;
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
        line(
                text,
                "reads the body and answers with the webhook's bytes, prepared. Go is a minimal webhook in Go that computes the same patch.");
        line(text, "A ratio is webhook / floor, or webhook / Go.");
        line(text, "%s", report.machine());
        line(text, "JVM options of webhook and floor: %s", String.join(" ", report.jvmOptions()));
        line(
                text,
                "Medians of %d rounds of %s s each; percentiles over the latencies of all rounds.",
                report.rounds(),
                Goal.number(report.secondsPerRound()));
        report.comparisons().stream()
                .collect(Collectors.groupingBy(WebhookComparison::beside, TreeMap::new, Collectors.toList()))
                .forEach((beside, comparisons) -> {
                    line(text, "");
                    comparisons(text, beside.word(), comparisons);
                });
        if (!report.comparisons().isEmpty()) {
            line(text, "");
            line(
                    text,
                    "Latencies and CPU in us; CPU is the server's, per request. busy: CPUs that the two servers kept busy.");
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

    private static void comparisons(StringBuilder text, String beside, List<WebhookComparison> comparisons) {
        line(
                text,
                "%6s %-9s %5s | %9s %9s %5s | %6s %6s %6s %6s %5s | %6s %6s | %6s %6s %5s | %s",
                "body",
                "pod",
                "conns",
                "req/s",
                beside,
                "ratio",
                "p50",
                beside,
                "p99",
                beside,
                "ratio",
                "p99.9",
                beside,
                "CPU",
                beside,
                "ratio",
                "busy");
        for (var c : comparisons) {
            line(
                    text,
                    "%6s %-9s %5d | %9.0f %9.0f %5.2f | %6.0f %6.0f %6.0f %6.0f %5.2f | %6.0f %6.0f | %6.1f %6.1f %5.2f | %.2f/%.2f",
                    c.bodyBytes() / 1024 + " KiB",
                    c.pod().word(),
                    c.connections(),
                    c.webhook().requestsPerSecond(),
                    c.baseline().requestsPerSecond(),
                    c.throughputRatio(),
                    c.webhook().p50(),
                    c.baseline().p50(),
                    c.webhook().p99(),
                    c.baseline().p99(),
                    c.p99Ratio(),
                    c.webhook().p999(),
                    c.baseline().p999(),
                    c.webhook().cpu(),
                    c.baseline().cpu(),
                    c.cpuRatio(),
                    c.webhook().busy(),
                    c.baseline().busy());
        }
    }

    private static void starts(StringBuilder text, WebhookReport report) {
        line(
                text,
                "%5s %-7s %9s %11s %13s %15s",
                "start",
                "server",
                "ready ms",
                "memory MiB",
                "handshake ms",
                "first answer ms");
        for (int i = 0; i < report.starts().size(); i++) {
            start(text, i + 1, "webhook", report.starts().get(i));
        }
        for (int i = 0; i < report.goStarts().size(); i++) {
            start(text, i + 1, ReferenceServer.GO.word(), report.goStarts().get(i));
        }
        line(text, "Memory after all load: %s MiB.", mib(report.residentBytesAfterLoad()));
        if (!report.goStarts().isEmpty()) {
            line(text, "Memory of Go after all load: %s MiB.", mib(report.goResidentBytesAfterLoad()));
        }
    }

    private static void start(StringBuilder text, int number, String server, Start start) {
        line(
                text,
                "%5d %-7s %9.0f %11s %13.1f %15.1f",
                number,
                server,
                start.readyMillis(),
                mib(start.residentBytes()),
                start.handshakeMillis(),
                start.firstAnswerMillis());
    }

    private static String mib(@Nullable Long bytes) {
        return bytes == null ? "-" : String.format(Locale.ROOT, "%.0f", bytes / MIB);
    }

    private static void line(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
