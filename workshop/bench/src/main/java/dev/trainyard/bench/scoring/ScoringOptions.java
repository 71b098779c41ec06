package dev.trainyard.bench.scoring;

import dev.trainyard.extender.score.PolicyName;
import java.nio.file.Path;
import java.util.List;

/**
 * The options of {@link ScoringBench}.
 *
 * @param nodes CSV file with machines; {@code pods} is the file with pods
 * @param policies policies of the extender, called over HTTPS
 * @param seeds number of orders of arrival to replay, from seed {@value #FIRST_SEED} on
 * @param wholeGpus whether to leave out pods that share a GPU
 * @param schedulerConfiguration the configuration of Trainyard's kube-scheduler, in YAML
 */
public record ScoringOptions(
        Path nodes,
        Path pods,
        List<PolicyName> policies,
        int seeds,
        boolean wholeGpus,
        Sampling sampling,
        Ties ties,
        String schedulerConfiguration) {

    /** The first seed of the published FGD experiment. */
    static final int FIRST_SEED = 42;

    private static final int MOST_SEEDS = 1000;

    public ScoringOptions {
        policies = policies.stream().distinct().toList();
        if (policies.isEmpty()) {
            throw new IllegalArgumentException("--policy: expected at least one policy of the extender");
        }
        if (seeds < 1 || seeds > MOST_SEEDS) {
            throw new IllegalArgumentException("--seeds: %d is not a number from 1 to %d".formatted(seeds, MOST_SEEDS));
        }
    }
}
