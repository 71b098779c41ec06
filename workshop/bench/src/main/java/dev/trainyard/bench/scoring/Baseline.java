package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.Trace;
import java.util.function.Function;

/** Policies for comparison: those available without the extender, and the published FGD policy. */
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

    /** Returns the tie-break. The random policy always breaks ties at random, because the first node by name would be another policy. */
    Ties ties(Ties wanted) {
        return this == RANDOM ? Ties.RANDOM : wanted;
    }
}
