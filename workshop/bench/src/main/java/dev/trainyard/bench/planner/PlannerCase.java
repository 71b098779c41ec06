package dev.trainyard.bench.planner;

import dev.trainyard.scaler.observe.Snapshot;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The cases of the planner benchmark. */
public enum PlannerCase {
    /** Many pods of two shapes, that is, with two different sets of requests: the workload of Cluster Autoscaler's own benchmark. */
    A("51,000 pods of two shapes, one kind of machine", 40),
    /** Many shapes, pools and nodes. */
    B("10,000 GPU pods of 200 shapes, 50 pools, 5,000 nodes", 200),
    /** No two pods alike, so that grouping pods by shape saves nothing. */
    C("20,000 pods, no two alike, four kinds of machines", 1000),
    /** Deployments of ten pods, each spread over zones and over hosts. */
    D("20,000 pods of 2,000 Deployments, each spread over zones and hosts", 5000),
    /**
     * Karpenter's own benchmark, with six equally large groups of pods: no constraints, spread over zones, spread over hosts, affinity by
     * host, affinity by zone, and anti-affinity by host.
     */
    E("10,000 pods in Karpenter's mix, 400 pools", 10_000),
    /** Gangs of eight, and the same pods without gangs. */
    GANGS("8,000 GPU pods of 200 shapes in 1,000 gangs of 8, and the same pods without gangs", 0),
    /** The time of a plan for 1,000 to 100,000 pods. */
    GROWTH("time of one plan for 1,000 to 100,000 pods", 0);

    /** How many times fewer pods a quick run has. */
    static final int FEWER = 20;

    private final String what;
    private final double limitMillis;

    PlannerCase(String what, double limitMillis) {
        this.what = what;
        this.limitMillis = limitMillis;
    }

    /** Returns a description for the report. */
    public String what() {
        return what;
    }

    /** Returns the maximum time of a plan in milliseconds. */
    double limitMillis() {
        return limitMillis;
    }

    /** Whether the limit for the time of a plan is longer than a second. */
    boolean isSlow() {
        return limitMillis > 1000;
    }

    /** Whether the case compares several workloads. */
    boolean isComparison() {
        return this == GANGS || this == GROWTH;
    }

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @param quick whether to use fewer pods */
    Snapshot snapshot(long seed, boolean quick) {
        int less = quick ? FEWER : 1;
        return switch (this) {
            case A -> PlannerWorkload.twoShapes(51_000 / less);
            case B -> PlannerWorkload.gpus(10_000 / less, 50, 5_000 / less, seed);
            case C -> PlannerWorkload.distinct(20_000 / less, seed);
            case D -> PlannerWorkload.spread(20_000 / less);
            case E -> PlannerWorkload.diverse(10_000 / less, seed);
            case GANGS, GROWTH -> throw new IllegalArgumentException("case %s has several workloads".formatted(word()));
        };
    }

    /**
     * Returns the case with the given name.
     *
     * @throws IllegalArgumentException if there is no such case; the message lists all cases
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
