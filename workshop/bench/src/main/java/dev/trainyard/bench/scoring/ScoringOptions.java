package dev.trainyard.bench.scoring;

import dev.trainyard.extender.score.PolicyName;
import java.nio.file.Path;
import java.util.List;

/**
 * What {@link ScoringBench} replays, and how.
 *
 * @param nodes CSV file with machines; {@code pods} likewise
 * @param policies of the extender, which is asked over HTTPS
 * @param seeds how many orders of arrival are replayed, from seed {@value #FIRST_SEED} on
 * @param wholeGpus without the pods that share a GPU
 * @param schedulerConfiguration our kube-scheduler's, in YAML
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

    /** As in the experiment that FGD was published with. */
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
