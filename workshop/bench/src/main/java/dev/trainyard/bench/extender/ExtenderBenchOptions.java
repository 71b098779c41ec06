package dev.trainyard.bench.extender;

import java.time.Duration;
import java.util.List;

/**
 * How {@link ExtenderBench} measures.
 *
 * @param jvm program and options that start a JVM for a component, its class path included
 * @param extender the rest of the command line that starts the extender: main class and command
 * @param nodes how many the extender knows
 * @param names about how many a call asks; each number is measured on its own, with new processes
 * @param connections how many are kept busy; each number is measured on its own
 * @param rounds how often floor and extender take turns for each figure; medians of the rounds are reported
 * @param round how long each of the two is under load in a round
 * @param warmUp how long each of the two is under load at most, before anything but the first calls is measured
 */
public record ExtenderBenchOptions(
        List<String> jvm,
        List<String> extender,
        int nodes,
        List<Integer> names,
        List<Integer> connections,
        int rounds,
        Duration round,
        Duration warmUp) {

    private static final int NODES = 5000;
    private static final int MOST_CONNECTIONS = 64;
    private static final int WARM_UP_ROUNDS = 20;

    public ExtenderBenchOptions {
        jvm = List.copyOf(jvm);
        extender = List.copyOf(extender);
        names = List.copyOf(names);
        connections = List.copyOf(connections);
        expectUpTo(nodes, "--names", names);
        expectUpTo(MOST_CONNECTIONS, "--connections", connections);
        if (round.toMillis() < 1) {
            throw new IllegalArgumentException("--seconds: expected a number above 0");
        }
    }

    private static void expectUpTo(int most, String option, List<Integer> numbers) {
        for (int number : numbers) {
            if (number < 1 || number > most) {
                throw new IllegalArgumentException(
                        "%s: %d is not a number from 1 to %d".formatted(option, number, most));
            }
        }
    }

    /** 100 to 5,000 names, one connection and four: about ten minutes. */
    public static ExtenderBenchOptions full(List<String> jvm, List<String> extender) {
        return new ExtenderBenchOptions(
                jvm,
                extender,
                NODES,
                List.of(100, 1000, NODES),
                List.of(1, 4),
                5,
                Duration.ofSeconds(5),
                Duration.ofSeconds(60));
    }

    /** 1,000 and 5,000 names, one call at a time: about two minutes. */
    public static ExtenderBenchOptions quick(List<String> jvm, List<String> extender) {
        return new ExtenderBenchOptions(
                jvm,
                extender,
                NODES,
                List.of(1000, NODES),
                List.of(1),
                3,
                Duration.ofSeconds(2),
                Duration.ofSeconds(20));
    }

    public ExtenderBenchOptions withNames(List<Integer> counts) {
        return new ExtenderBenchOptions(jvm, extender, nodes, counts, connections, rounds, round, warmUp);
    }

    public ExtenderBenchOptions withConnections(List<Integer> counts) {
        return new ExtenderBenchOptions(jvm, extender, nodes, names, counts, rounds, round, warmUp);
    }

    /**
     * Returns these options with another duration of a round.
     *
     * @param time of one round for each of the two; the warm-up becomes twenty times that, if that is less than it was
     */
    public ExtenderBenchOptions withRound(Duration time) {
        var twenty = time.multipliedBy(WARM_UP_ROUNDS);
        var shorter = twenty.compareTo(warmUp) < 0 ? twenty : warmUp;
        return new ExtenderBenchOptions(jvm, extender, nodes, names, connections, rounds, time, shorter);
    }
}
