package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.Trace;
import java.util.function.Function;

/**
 * A policy for comparison: a score of kube-scheduler, a simple policy from research, or the published fragmentation gradient descent (FGD).
 */
enum Baseline {
    RANDOM("random", trace -> ResearchPolicies.random()),
    KUBE_DEFAULT("kube-default", trace -> InTree.kubeDefault()),
    MOST_ALLOCATED_GPU("most-allocated-gpu", trace -> InTree.mostAllocatedGpu()),
    BEST_FIT("best-fit", trace -> ResearchPolicies.bestFit()),
    FGD("fgd-published", PublishedFgd::knowing);

    private final String word;

    @SuppressWarnings("ImmutableEnumChecker") // The functions above have no state.
    private final Function<Trace, NodeScore> score;

    Baseline(String word, Function<Trace, NodeScore> score) {
        this.word = word;
        this.score = score;
    }

    String word() {
        return word;
    }

    NodeScore of(Trace trace) {
        return score.apply(trace);
    }

    /**
     * Returns the tie-break of this policy. The random policy ignores {@code wanted}, because with ties broken by name it would not be
     * random.
     */
    Ties ties(Ties wanted) {
        return this == RANDOM ? Ties.RANDOM : wanted;
    }
}
