package dev.trainyard.bench.scheduler;

import java.util.List;

/**
 * The options of {@link SchedulerBench}.
 *
 * @param profile the profile to measure
 * @param jvm program and options that start a JVM with the class path of the extender
 * @param extender the rest of the command line that starts the extender: main class and command
 * @param manifests YAML that is installed first: the namespace, the CustomResourceDefinitions and the RBAC rules of scheduler and extender
 * @param schedulerConfiguration the scheduler configuration of an installation with the extender, in YAML
 * @param pluginsConfiguration the scheduler configuration of an installation without the extender, in YAML
 * @param nodes number of nodes of the cluster, with eight GPUs each
 * @param pods number of pending pods when the scheduler starts
 * @param rounds number of pairs of trials; one trial of a pair is with the measured profile, the other one without
 * @param podsAtUsualRate number of pods in one more round, in which schedulers have the default API rate limit; 0 if there is no such round
 */
public record SchedulerBenchOptions(
        MeasuredProfile profile,
        List<String> jvm,
        List<String> extender,
        List<String> manifests,
        String schedulerConfiguration,
        String pluginsConfiguration,
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
                    "--pods: %d is not a number from 2 to %d, which is %d for each of the %d nodes; more pods would not fit"
                            .formatted(pods, PODS_PER_NODE * nodes, PODS_PER_NODE, nodes));
        }
    }

    private static void expect(String option, int number, int most) {
        if (number < 1 || number > most) {
            throw new IllegalArgumentException("%s: %d is not a number from 1 to %d".formatted(option, number, most));
        }
    }

    /** Returns the number of pods to place before a measurement. While the extender handles these pods, its JVM optimises the code. */
    int warmUpPods() {
        return Math.max(2, pods / 6);
    }
}
