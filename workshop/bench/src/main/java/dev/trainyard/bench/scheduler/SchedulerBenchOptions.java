package dev.trainyard.bench.scheduler;

import java.util.List;

/**
 * How {@link SchedulerBench} measures.
 *
 * @param jvm program and options that start a JVM for the extender, its class path included
 * @param extender the rest of the command line that starts the extender: main class and command
 * @param manifests what is installed before anything else, in YAML: namespace, definitions, rights of scheduler and extender
 * @param schedulerConfiguration that is installed, in YAML
 * @param nodes of the cluster, with eight GPUs each
 * @param pods that wait when the scheduler starts
 * @param rounds how often a scheduler with and one without the extender take turns
 * @param podsAtUsualRate how many wait in one more round, in which schedulers call the API server no more often than by default; 0: no
 *     such round
 */
public record SchedulerBenchOptions(
        List<String> jvm,
        List<String> extender,
        List<String> manifests,
        String schedulerConfiguration,
        int nodes,
        int pods,
        int rounds,
        int podsAtUsualRate) {

    private static final int MOST_NODES = 5000;
    private static final int MOST_ROUNDS = 100;
    private static final int PODS_PER_NODE = 3;

    public SchedulerBenchOptions {
        jvm = List.copyOf(jvm);
        extender = List.copyOf(extender);
        manifests = List.copyOf(manifests);
        expect("--nodes", nodes, MOST_NODES);
        expect("--rounds", rounds, MOST_ROUNDS);
        if (pods < 2 || pods > PODS_PER_NODE * nodes) {
            throw new IllegalArgumentException(
                    "--pods: %d is not a number from 2 to %d, which is %d for each of the %d nodes: others would find no room"
                            .formatted(pods, PODS_PER_NODE * nodes, PODS_PER_NODE, nodes));
        }
    }

    private static void expect(String option, int number, int most) {
        if (number < 1 || number > most) {
            throw new IllegalArgumentException("%s: %d is not a number from 1 to %d".formatted(option, number, most));
        }
    }

    /** How many are placed before anything is measured: the extender's JVM makes its code fast while it runs. */
    int warmUpPods() {
        return Math.max(2, pods / 6);
    }
}
