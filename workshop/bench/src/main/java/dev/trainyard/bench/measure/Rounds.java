package dev.trainyard.bench.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Measurements of a component, the subject, and of another server for comparison, the baseline. The servers take turns under the same
 * load. In each round they follow each other within seconds, so that other load on the machine affects all.
 *
 * @param baseline as many rounds as {@code subject}; each was measured within seconds of the subject's round of the same index
 */
public record Rounds(ReferenceServer beside, List<MeasuredRound> subject, List<MeasuredRound> baseline) {

    public Rounds {
        subject = List.copyOf(subject);
        baseline = List.copyOf(baseline);
        if (subject.size() != baseline.size()) {
            throw new IllegalArgumentException(
                    "%d rounds beside %d of the %s".formatted(subject.size(), baseline.size(), beside.word()));
        }
    }

    /**
     * Measures the subject and its baselines in turns.
     *
     * @param connect opens the connections to a server; they are closed after the last round
     * @param time time under load of each server in each round
     * @return the subject's rounds beside those of each baseline
     */
    public static <S> List<Rounds> inTurns(
            S subject,
            SortedMap<ReferenceServer, S> baselines,
            Function<S, Contender> connect,
            int rounds,
            Duration time) {
        var others = new TreeMap<ReferenceServer, Contender>();
        try (var ours = connect.apply(subject)) {
            baselines.forEach((beside, baseline) -> others.put(beside, connect.apply(baseline)));
            return inTurns(ours, others, rounds, time);
        } finally {
            others.values().forEach(Contender::close);
        }
    }

    private static List<Rounds> inTurns(
            Contender subject, SortedMap<ReferenceServer, Contender> baselines, int rounds, Duration time) {
        var servers =
                Stream.concat(baselines.values().stream(), Stream.of(subject)).toList();
        var measured =
                servers.stream().map(server -> new ArrayList<MeasuredRound>()).toList();
        servers.forEach(server -> server.round(time.dividedBy(4)));
        for (int round = 0; round < rounds; round++) {
            for (int turn = 0; turn < servers.size(); turn++) {
                // Each server goes first in turn, so that any drift affects all alike.
                int next = (round + turn) % servers.size();
                measured.get(next).add(servers.get(next).round(time));
            }
        }
        var ofSubject = measured.get(baselines.size());
        var beside = List.copyOf(baselines.keySet());
        return IntStream.range(0, beside.size())
                .mapToObj(i -> new Rounds(beside.get(i), ofSubject, measured.get(i)))
                .toList();
    }

    public Figures figures() {
        return Figures.of(subject);
    }

    public Figures baselineFigures() {
        return Figures.of(baseline);
    }

    /** Returns the subject's latencies of requests of one kind. */
    public Latencies latencies(String kind) {
        return Latencies.of(subject, kind);
    }

    /** Returns the baseline's latencies of requests of one kind. */
    public Latencies baselineLatencies(String kind) {
        return Latencies.of(baseline, kind);
    }

    /** Returns the ratio of subject to baseline, as the median of the ratios of all rounds. */
    public double ratio(ToDoubleFunction<MeasuredRound> value) {
        return Figures.median(IntStream.range(0, subject.size())
                .mapToDouble(i -> value.applyAsDouble(subject.get(i)) / value.applyAsDouble(baseline.get(i)))
                .toArray());
    }
}
