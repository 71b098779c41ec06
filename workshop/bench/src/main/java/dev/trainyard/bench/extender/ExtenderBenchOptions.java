package dev.trainyard.bench.extender;

import java.time.Duration;
import java.util.List;

/**
 * The options of {@link ExtenderBench}, which compares the extender with a minimal extender, the floor.
 *
 * @param jvm program and options that start a JVM with the class path of a component
 * @param extender the rest of the command line that starts the extender: main class and command
 * @param verbs the calls about each pod, in order
 * @param nodes number of nodes in the extender's cluster
 * @param names approximate numbers of nodes in a call; each number is measured separately, with new processes
 * @param connections numbers of busy connections; each number is measured separately
 * @param rounds number of rounds for each figure; floor and extender take turns within each round
 * @param round how long each server is under load in a round; also the length of a warm-up round
 * @param warmUp maximum time of warm-up load on each server; only the first calls are measured before the warm-up
 */
public record ExtenderBenchOptions(
        List<String> jvm,
        List<String> extender,
        List<Verb> verbs,
        int nodes,
        List<Integer> names,
        List<Integer> connections,
        int rounds,
        Duration round,
        Duration warmUp) {

    private static final List<Verb> CHOOSE_ALONE = List.of(Verb.CHOOSE);
    private static final List<Verb> ALL_NODES = List.of(Verb.FILTER, Verb.PRIORITIZE);
    private static final int NODES = 5000;
    private static final int MOST_CONNECTIONS = 64;
    private static final int WARM_UP_ROUNDS = 20;

    public ExtenderBenchOptions {
        jvm = List.copyOf(jvm);
        extender = List.copyOf(extender);
        verbs = List.copyOf(verbs);
        names = List.copyOf(names);
        connections = List.copyOf(connections);
        expectUpTo(nodes, "--names", names);
        expectUpTo(MOST_CONNECTIONS, "--connections", connections);
        if (round.toMillis() < 1) {
            throw new IllegalArgumentException("--seconds: expected at least 0.001");
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

    /** Returns the options of a full run: 100 to 5,000 names, one and four connections, about ten minutes. */
    public static ExtenderBenchOptions full(List<String> jvm, List<String> extender) {
        return new ExtenderBenchOptions(
                jvm,
                extender,
                CHOOSE_ALONE,
                NODES,
                List.of(100, 1000, NODES),
                List.of(1, 4),
                5,
                Duration.ofSeconds(5),
                Duration.ofSeconds(60));
    }

    /** Returns the options of a quick run: 1,000 and 5,000 names, one call at a time, about two minutes. */
    public static ExtenderBenchOptions quick(List<String> jvm, List<String> extender) {
        return new ExtenderBenchOptions(
                jvm,
                extender,
                CHOOSE_ALONE,
                NODES,
                List.of(1000, NODES),
                List.of(1),
                3,
                Duration.ofSeconds(2),
                Duration.ofSeconds(20));
    }

    /** Returns these options with the calls filter and prioritize. A scheduler that gets all nodes that pass makes these calls. */
    public ExtenderBenchOptions withAllNodes() {
        return new ExtenderBenchOptions(jvm, extender, ALL_NODES, nodes, names, connections, rounds, round, warmUp);
    }

    public ExtenderBenchOptions withNames(List<Integer> counts) {
        return new ExtenderBenchOptions(jvm, extender, verbs, nodes, counts, connections, rounds, round, warmUp);
    }

    public ExtenderBenchOptions withConnections(List<Integer> counts) {
        return new ExtenderBenchOptions(jvm, extender, verbs, nodes, names, counts, rounds, round, warmUp);
    }

    /**
     * Returns these options with another duration of a round.
     *
     * @param time time under load of each server in a round; the warm-up is shortened to at most twenty times this time
     */
    public ExtenderBenchOptions withRound(Duration time) {
        var twenty = time.multipliedBy(WARM_UP_ROUNDS);
        var shorter = twenty.compareTo(warmUp) < 0 ? twenty : warmUp;
        return new ExtenderBenchOptions(jvm, extender, verbs, nodes, names, connections, rounds, time, shorter);
    }
}
