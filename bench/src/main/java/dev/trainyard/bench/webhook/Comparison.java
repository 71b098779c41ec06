package dev.trainyard.bench.webhook;

import dev.trainyard.bench.webhook.Figures.Round;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * The webhook beside the floor, under the same load. Each ratio is the median of the rounds' ratios of webhook to floor: the two halves
 * of a round lie within seconds, so that what else the machine does meets both.
 *
 * @param bodyBytes length of the review
 */
public record Comparison(
        int bodyBytes,
        PodKind pod,
        int connections,
        Figures webhook,
        Figures floor,
        double throughputRatio,
        double p99Ratio,
        double cpuRatio) {

    /** @param floor as many rounds as {@code webhook}, each taken beside the one of the same index */
    static Comparison of(int bodyBytes, PodKind pod, int connections, List<Round> webhook, List<Round> floor) {
        return new Comparison(
                bodyBytes,
                pod,
                connections,
                Figures.of(webhook),
                Figures.of(floor),
                ratio(webhook, floor, round -> round.load().requestsPerSecond()),
                ratio(webhook, floor, Round::p99),
                ratio(webhook, floor, Round::cpuPerRequest));
    }

    private static double ratio(List<Round> webhook, List<Round> floor, ToDoubleFunction<Round> value) {
        return Figures.median(IntStream.range(0, webhook.size())
                .mapToDouble(i -> value.applyAsDouble(webhook.get(i)) / value.applyAsDouble(floor.get(i)))
                .toArray());
    }
}
