package dev.trainyard.bench.scoring;

import java.util.Arrays;

/** Statistics over the figures of several seeds. */
final class Statistics {

    private Statistics() {}

    static double mean(double[] values) {
        return Arrays.stream(values).average().orElse(Double.NaN);
    }

    /** Returns the sample standard deviation; 0 for a single value. */
    static double deviation(double[] values) {
        double mean = mean(values);
        double squares = Arrays.stream(values)
                .map(value -> (value - mean) * (value - mean))
                .sum();
        return values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1));
    }

    /** Returns each value minus the partner at the same index. */
    static double[] differences(double[] values, double[] partners) {
        var differences = new double[values.length];
        Arrays.setAll(differences, i -> values[i] - partners[i]);
        return differences;
    }

    /**
     * Returns the p-value of the two-sided sign test: the probability that a result is at least as uneven, if wins and losses are equally
     * likely. Draws are ignored. Returns 1 if there are only draws.
     */
    static double signTest(int wins, int losses) {
        int all = wins + losses;
        int fewer = Math.min(wins, losses);
        double sum = 0;
        double choose = 1; // the binomial coefficient of all and i
        for (int i = 0; i <= fewer; i++) {
            sum += choose;
            choose = choose * (all - i) / (i + 1);
        }
        return Math.min(1, 2 * sum / Math.pow(2, all));
    }
}
