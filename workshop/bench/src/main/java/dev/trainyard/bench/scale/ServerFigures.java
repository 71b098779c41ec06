package dev.trainyard.bench.scale;

import dev.trainyard.bench.measure.MetricHistogram;
import dev.trainyard.bench.measure.MetricsPage;
import java.util.Map;
import java.util.Objects;

/**
 * What the components' own metrics say about the run.
 *
 * @param failedRounds rounds of the scaler that failed
 * @param removedNodes nodes that the scaler removed
 * @param unaskedPods pods that the scheduler placed without an answer of the extender
 */
public record ServerFigures(
        Durations rounds,
        Durations reviews,
        Durations choices,
        long failedRounds,
        long removedNodes,
        long unaskedPods) {

    private static final double HALF = 0.5;
    private static final double MOST = 0.99;
    private static final double MILLI = 1e-3;

    /** Durations in milliseconds. The percentiles are estimated from histogram buckets. */
    public record Durations(long count, double mean, double p50, double p99) {
        static Durations of(MetricHistogram histogram) {
            return new Durations(
                    histogram.count(),
                    histogram.mean() * MILLI,
                    histogram.quantile(HALF) * MILLI,
                    histogram.quantile(MOST) * MILLI);
        }
    }

    /** @param before the metrics of each component at the start of the run, by name */
    static ServerFigures between(Map<String, MetricsPage> before, Map<String, MetricsPage> after) {
        var start = new Pages(before);
        var end = new Pages(after);
        return new ServerFigures(
                Durations.of(end.rounds().since(start.rounds())),
                Durations.of(end.requests(ScaleSubject.WEBHOOK, "/mutate")
                        .since(start.requests(ScaleSubject.WEBHOOK, "/mutate"))),
                Durations.of(end.requests(ScaleSubject.EXTENDER, "/choose")
                        .since(start.requests(ScaleSubject.EXTENDER, "/choose"))),
                end.failedRounds() - start.failedRounds(),
                end.removedNodes() - start.removedNodes(),
                end.unaskedPods() - start.unaskedPods());
    }

    /** The metrics of all components at one time. */
    private record Pages(Map<String, MetricsPage> pages) {

        MetricHistogram rounds() {
            return MetricHistogram.of(page(ScaleSubject.SCALER), "trainyard_scaler_round_seconds");
        }

        MetricHistogram requests(String component, String path) {
            return MetricHistogram.answered(page(component), path);
        }

        long failedRounds() {
            return (long) page(ScaleSubject.SCALER).sum("trainyard_scaler_rounds_failed_total");
        }

        long removedNodes() {
            return (long) page(ScaleSubject.SCALER).sum("trainyard_scaler_nodes_removed_total");
        }

        long unaskedPods() {
            var extender = page(ScaleSubject.EXTENDER);
            return (long) (extender.sum("trainyard_extender_pods_placed_unasked_total")
                    + extender.sum("trainyard_extender_pods_placed_unanswered_total"));
        }

        private MetricsPage page(String component) {
            return Objects.requireNonNull(pages.get(component), component);
        }
    }
}
