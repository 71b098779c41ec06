package dev.trainyard.bench.planner;

import dev.trainyard.scaler.observe.Snapshot;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What can be measured. */
public enum PlannerCase {
    /** Two shapes, many pods: Cluster Autoscaler's own benchmark set. */
    A("51,000 pods of two shapes, one kind of machine", 40),
    /** Many shapes, pools and nodes. */
    B("10,000 GPU pods of 200 shapes, 50 pools, 5,000 nodes", 200),
    /** Folding helps nothing. */
    C("20,000 pods, no two alike, four kinds of machines", 1000),
    /** The same from 1,000 to 100,000 pods. */
    GROWTH("time from 1,000 to 100,000 pods", 0);

    private static final int FEWER = 20;

    private final String what;
    private final double limitMillis;

    PlannerCase(String what, double limitMillis) {
        this.what = what;
        this.limitMillis = limitMillis;
    }

    /** For people. */
    public String what() {
        return what;
    }

    /** How long a plan may take. */
    double limitMillis() {
        return limitMillis;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @param quick with fewer pods */
    Snapshot snapshot(long seed, boolean quick) {
        int less = quick ? FEWER : 1;
        return switch (this) {
            case A -> Workload.twoShapes(51_000 / less);
            case B -> Workload.gpus(10_000 / less, 50, 5_000 / less, seed);
            case C -> Workload.distinct(20_000 / less, seed);
            case GROWTH -> throw new IllegalArgumentException("growth has many sizes");
        };
    }

    /**
     * Returns the case that a word names.
     *
     * @throws IllegalArgumentException for a word that names none; the message says which do
     */
    public static PlannerCase parse(String word) {
        return Arrays.stream(values())
                .filter(value -> value.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--case: '%s' is not one of %s"
                        .formatted(
                                word,
                                Arrays.stream(values()).map(PlannerCase::word).collect(Collectors.joining(", ")))));
    }
}
