package dev.trainyard.bench.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Measurements of a component, the subject, and of a minimal server for comparison, the floor. Subject and floor alternate under the same
 * load. In each round they follow each other within seconds, so that other load on the machine affects both.
 *
 * @param floor as many rounds as {@code subject}; each was measured right before or after the subject's round of the same index
 */
public record Rounds(List<MeasuredRound> subject, List<MeasuredRound> floor) {

    public Rounds {
        subject = List.copyOf(subject);
        floor = List.copyOf(floor);
        if (subject.size() != floor.size()) {
            throw new IllegalArgumentException(
                    "%d rounds beside %d of the floor".formatted(subject.size(), floor.size()));
        }
    }

    /**
     * Measures the subject and the floor alternately.
     *
     * @param time time under load of the subject, and also of the floor, in each round
     */
    public static Rounds inTurns(Contender subject, Contender floor, int rounds, Duration time) {
        floor.round(time.dividedBy(4));
        subject.round(time.dividedBy(4));
        var ofSubject = new ArrayList<MeasuredRound>();
        var ofFloor = new ArrayList<MeasuredRound>();
        for (int round = 0; round < rounds; round++) {
            // Subject and floor go first in turn, so that any drift affects both alike.
            if (round % 2 == 0) {
                ofFloor.add(floor.round(time));
            }
            ofSubject.add(subject.round(time));
            if (round % 2 == 1) {
                ofFloor.add(floor.round(time));
            }
        }
        return new Rounds(ofSubject, ofFloor);
    }

    public Figures figures() {
        return Figures.of(subject);
    }

    public Figures floorFigures() {
        return Figures.of(floor);
    }

    /** Returns the subject's latencies of requests of one kind. */
    public Latencies latencies(String kind) {
        return Latencies.of(subject, kind);
    }

    /** Returns the floor's latencies of requests of one kind. */
    public Latencies floorLatencies(String kind) {
        return Latencies.of(floor, kind);
    }

    /** Returns the ratio of subject to floor, as the median of the ratios of all rounds. */
    public double ratio(ToDoubleFunction<MeasuredRound> value) {
        return Figures.median(IntStream.range(0, subject.size())
                .mapToDouble(i -> value.applyAsDouble(subject.get(i)) / value.applyAsDouble(floor.get(i)))
                .toArray());
    }
}
