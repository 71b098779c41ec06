package dev.trainyard.bench.scale;

import java.time.Duration;

/**
 * The options of {@link ScaleBench}.
 *
 * @param nodes largest number of nodes
 * @param pods number of pods that come and go, in total
 * @param time time in which all pods are created, at a steady rate
 */
public record ScaleBenchOptions(int nodes, int pods, Duration time) {

    private static final int FEWEST_NODES = 20;
    private static final int MOST_NODES = 5000;
    private static final int FEWEST_PODS = 100;
    private static final int MOST_PODS = 1_000_000;
    private static final Duration SHORTEST = Duration.ofSeconds(30);
    private static final int SAMPLES = 60;
    private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(2);
    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(15);
    private static final int ELASTIC_SHARE = 10;
    private static final int LIFETIMES = 10;

    public ScaleBenchOptions {
        expect("--nodes", nodes, FEWEST_NODES, MOST_NODES);
        expect("--pods", pods, FEWEST_PODS, MOST_PODS);
        if (time.compareTo(SHORTEST) < 0) {
            throw new IllegalArgumentException("--minutes: expected at least 0.5, but it is " + time.toMillis() / 60e3);
        }
    }

    private static void expect(String option, int number, int least, int most) {
        if (number < least || number > most) {
            throw new IllegalArgumentException(
                    "%s: %d is not a number from %d to %d".formatted(option, number, least, most));
        }
    }

    /** Returns the number of nodes that the scaler adds and removes during the run. */
    int elasticNodes() {
        return nodes / ELASTIC_SHARE;
    }

    /** Returns the number of nodes that exist all the time. */
    int fixedNodes() {
        return nodes - elasticNodes();
    }

    double podsPerSecond() {
        return pods / (time.toMillis() / 1e3);
    }

    /** Returns how long a usual pod runs. About a tenth of all pods exist at a time. */
    Duration life() {
        return time.dividedBy(LIFETIMES);
    }

    /** Returns the time between two samples of the components. */
    Duration interval() {
        var interval = time.dividedBy(SAMPLES);
        return interval.compareTo(SHORTEST_INTERVAL) < 0
                ? SHORTEST_INTERVAL
                : interval.compareTo(LONGEST_INTERVAL) > 0 ? LONGEST_INTERVAL : interval;
    }
}
