package dev.trainyard.bench.webhook;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.trainyard.bench.measure.Figures;
import dev.trainyard.bench.measure.Goal;
import dev.trainyard.bench.measure.ReferenceServer;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The results of {@link WebhookBench}.
 *
 * @param machine CPUs, operating system and Java
 * @param jvmOptions JVM options of the webhook and of the floor, a minimal server for comparison
 * @param comparisons with the floor, and also with Go unless Go is missing
 * @param residentBytesAfterLoad resident set size of the webhook after all load; null if the system does not provide it
 * @param goResidentBytesAfterLoad the same of the Go peer; null also if Go is missing
 * @param goStarts starts of the Go peer; empty if Go is missing
 */
public record WebhookReport(
        String machine,
        List<String> jvmOptions,
        int rounds,
        double secondsPerRound,
        List<WebhookComparison> comparisons,
        @Nullable Long residentBytesAfterLoad,
        @Nullable Long goResidentBytesAfterLoad,
        List<Start> starts,
        List<Start> goStarts) {

    private static final int SMALL = 4096;
    private static final double MIB = 1 << 20;

    public WebhookReport {
        jvmOptions = List.copyOf(jvmOptions);
        comparisons = List.copyOf(comparisons);
        starts = List.copyOf(starts);
        goStarts = List.copyOf(goStarts);
    }

    /**
     * Returns the performance goals for the webhook. A goal under load is compared with the worst measured ratio. A goal for starts is
     * compared with the median of all starts.
     */
    @JsonProperty
    public List<Goal> targets() {
        return List.of(
                new Goal(
                        "throughput / floor, mutated pods, 4 KiB (least)",
                        orNull(small().mapToDouble(WebhookComparison::throughputRatio)
                                .min()),
                        0.6,
                        true),
                new Goal(
                        "p99 / floor, mutated pods, 4 KiB (most)",
                        orNull(small().mapToDouble(WebhookComparison::p99Ratio).max()),
                        1.5,
                        false),
                new Goal(
                        "start to ready, s",
                        median(starts.stream().mapToDouble(s -> s.readyMillis() / 1000)),
                        1.5,
                        false),
                new Goal(
                        "memory when ready, MiB",
                        median(starts.stream()
                                .map(Start::residentBytes)
                                .filter(Objects::nonNull)
                                .mapToDouble(bytes -> bytes / MIB)),
                        150,
                        false),
                new Goal(
                        "first request when ready, ms",
                        median(starts.stream().mapToDouble(Start::firstAnswerMillis)),
                        20,
                        false));
    }

    private Stream<WebhookComparison> small() {
        return comparisons.stream()
                .filter(c ->
                        c.beside() == ReferenceServer.FLOOR && c.pod() == ReviewKind.MUTATED && c.bodyBytes() == SMALL);
    }

    private static @Nullable Double median(DoubleStream values) {
        var all = values.toArray();
        return all.length == 0 ? null : Double.valueOf(Figures.median(all));
    }

    private static @Nullable Double orNull(OptionalDouble value) {
        return value.isPresent() ? Double.valueOf(value.getAsDouble()) : null;
    }
}
