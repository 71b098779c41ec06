package dev.trainyard.bench.webhook;

import dev.trainyard.bench.measure.Figures;
import dev.trainyard.bench.measure.Round;
import dev.trainyard.bench.measure.Rounds;

/**
 * The webhook compared with the floor under the same load. Each ratio is the median of the rounds' ratios of webhook to floor.
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

    static Comparison of(int bodyBytes, PodKind pod, int connections, Rounds rounds) {
        return new Comparison(
                bodyBytes,
                pod,
                connections,
                rounds.figures(),
                rounds.floorFigures(),
                rounds.ratio(round -> round.load().requestsPerSecond()),
                rounds.ratio(Round::p99),
                rounds.ratio(Round::cpuPerRequest));
    }
}
