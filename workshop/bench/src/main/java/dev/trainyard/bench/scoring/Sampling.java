package dev.trainyard.bench.scoring;

import java.util.Locale;

/**
 * The number of feasible machines after which kube-scheduler stops its search: {@code percentageOfNodesToScore}, with the bounds of
 * {@code numFeasibleNodesToFind} in {@code pkg/scheduler/schedule_one.go}, Kubernetes 1.36.
 *
 * @param percentage the percentage of nodes, from 1 to 100; with 0, it is computed from the size of the cluster, as by kube-scheduler
 */
public record Sampling(int percentage) {

    public static final Sampling ALL = new Sampling(100);

    private static final int LEAST_NODES = 100;
    private static final int LEAST_PERCENTAGE = 5;

    /**
     * Parses the percentage of nodes to search.
     *
     * @throws IllegalArgumentException unless the text is {@code default} or a whole number from 1 to 100
     */
    public static Sampling parse(String text) {
        if (text.toLowerCase(Locale.ROOT).equals("default")) {
            return new Sampling(0);
        }
        try {
            int percentage = Integer.parseInt(text);
            if (percentage >= 1 && percentage <= 100) {
                return new Sampling(percentage);
            }
        } catch (NumberFormatException e) {
            // The exception below reports this.
        }
        throw new IllegalArgumentException(
                "--percentage-of-nodes: '%s' is neither a whole number from 1 to 100 nor 'default'".formatted(text));
    }

    int of(int nodes) {
        if (nodes < LEAST_NODES) {
            return nodes;
        }
        int percent = percentage == 0 ? Math.max(LEAST_PERCENTAGE, 50 - nodes / 125) : percentage;
        return Math.max(LEAST_NODES, (int) ((long) nodes * percent / 100));
    }

    @Override
    public String toString() {
        return percentage == 0 ? "default" : Integer.toString(percentage);
    }
}
