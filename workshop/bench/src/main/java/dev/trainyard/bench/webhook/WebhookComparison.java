package dev.trainyard.bench.webhook;

import dev.trainyard.bench.measure.Figures;
import dev.trainyard.bench.measure.MeasuredRound;
import dev.trainyard.bench.measure.ReferenceServer;
import dev.trainyard.bench.measure.Rounds;

/**
 * A comparison of the webhook with a baseline under the same load. Each ratio (webhook / baseline) is the median of the ratios of all
 * rounds.
 *
 * @param bodyBytes length of the review
 */
public record WebhookComparison(
        ReferenceServer beside,
        int bodyBytes,
        ReviewKind pod,
        int connections,
        Figures webhook,
        Figures baseline,
        double throughputRatio,
        double p99Ratio,
        double cpuRatio) {

    static WebhookComparison of(int bodyBytes, ReviewKind pod, int connections, Rounds rounds) {
        return new WebhookComparison(
                rounds.beside(),
                bodyBytes,
                pod,
                connections,
                rounds.figures(),
                rounds.baselineFigures(),
                rounds.ratio(round -> round.load().requestsPerSecond()),
                rounds.ratio(MeasuredRound::p99),
                rounds.ratio(MeasuredRound::cpuPerRequest));
    }
}
