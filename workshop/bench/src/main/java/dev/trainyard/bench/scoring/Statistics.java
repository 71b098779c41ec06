package dev.trainyard.bench.scoring;

import java.util.Arrays;

/** What is reported of the figures of several seeds. */
final class Statistics {

    private Statistics() {}

    static double mean(double[] values) {
        return Arrays.stream(values).average().orElse(Double.NaN);
    }

    /** The standard deviation of a sample; 0 of a single value. */
    static double deviation(double[] values) {
        double mean = mean(values);
        double squares = Arrays.stream(values)
                .map(value -> (value - mean) * (value - mean))
                .sum();
        return values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1));
    }

    /** Each value less its partner. */
    static double[] differences(double[] values, double[] partners) {
        var differences = new double[values.length];
        Arrays.setAll(differences, i -> values[i] - partners[i]);
        return differences;
    }

    /**
     * The two-sided sign test: how likely so uneven a number of wins and losses is if either is as likely as the other. Draws do not
     * count; with nothing but draws it is 1.
     */
    static double signTest(int wins, int losses) {
        int all = wins + losses;
        int fewer = Math.min(wins, losses);
        double sum = 0;
        double choose = 1; // all over i
        for (int i = 0; i <= fewer; i++) {
            sum += choose;
            choose = choose * (all - i) / (i + 1);
        }
        return Math.min(1, 2 * sum / Math.pow(2, all));
    }
}
