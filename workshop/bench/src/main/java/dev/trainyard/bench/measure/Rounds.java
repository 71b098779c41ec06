package dev.trainyard.bench.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What is measured and its floor, under the same load in turns: the two halves of a round lie within seconds, so that what else the
 * machine does meets both.
 *
 * @param floor as many rounds as {@code subject}, each taken beside the one of the same index
 */
public record Rounds(List<Round> subject, List<Round> floor) {

    public Rounds {
        subject = List.copyOf(subject);
        floor = List.copyOf(floor);
        if (subject.size() != floor.size()) {
            throw new IllegalArgumentException(
                    "%d rounds beside %d of the floor".formatted(subject.size(), floor.size()));
        }
    }

    /**
     * Measures the subject and the floor in turns.
     *
     * @param time for which each of the two is under load in a round
     */
    public static Rounds inTurns(Contender subject, Contender floor, int rounds, Duration time) {
        floor.round(time.dividedBy(4));
        subject.round(time.dividedBy(4));
        var ofSubject = new ArrayList<Round>();
        var ofFloor = new ArrayList<Round>();
        for (int round = 0; round < rounds; round++) {
            // Taking turns at being first, so that whatever grows or shrinks meets both alike.
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

    /** Of requests of one kind. */
    public Latencies latencies(String kind) {
        return Latencies.of(subject, kind);
    }

    /** Of requests of one kind. */
    public Latencies floorLatencies(String kind) {
        return Latencies.of(floor, kind);
    }

    /** The median of the rounds' ratios of subject to floor. */
    public double ratio(ToDoubleFunction<Round> value) {
        return Figures.median(IntStream.range(0, subject.size())
                .mapToDouble(i -> value.applyAsDouble(subject.get(i)) / value.applyAsDouble(floor.get(i)))
                .toArray());
    }
}
