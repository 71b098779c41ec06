package dev.trainyard.bench.extender;

import dev.trainyard.bench.measure.Latencies;
import dev.trainyard.bench.measure.Rounds;

/**
 * One verb of the extender compared with the floor's. Each ratio is the median of the rounds' ratios of extender to floor.
 *
 * @param requestsPerSecond throughput if only this verb were called: connections / mean latency
 */
public record VerbComparison(
        Verb verb,
        Latencies extender,
        Latencies floor,
        double p50Ratio,
        double p99Ratio,
        double requestsPerSecond,
        double floorRequestsPerSecond) {

    private static final double MICROS = 1e6;

    static VerbComparison of(Verb verb, int connections, Rounds rounds) {
        var kind = verb.word();
        var extender = rounds.latencies(kind);
        var floor = rounds.floorLatencies(kind);
        return new VerbComparison(
                verb,
                extender,
                floor,
                rounds.ratio(round -> round.percentile(kind, 50)),
                rounds.ratio(round -> round.percentile(kind, 99)),
                connections * MICROS / extender.mean(),
                connections * MICROS / floor.mean());
    }
}
