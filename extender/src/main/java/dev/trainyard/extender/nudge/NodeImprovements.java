package dev.trainyard.extender.nudge;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.TieredPod;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** A check whether changes of nodes or of the catalogue let a pod use a node that it could not use before. Not thread-safe. */
final class NodeImprovements {

    private final LastResortFilter reach;
    private final Catalogue before;
    private final Catalogue after;
    private final Collection<ProfileChange> steps;
    private final Map<PodKind, Boolean> byKind = new HashMap<>();

    NodeImprovements(LastResortFilter reach, Catalogue before, Catalogue after, Collection<ProfileChange> steps) {
        this.reach = reach;
        this.before = before;
        this.after = after;
        this.steps = steps;
    }

    boolean haveImproved(PodFacts pod) {
        return byKind.computeIfAbsent(PodKind.of(pod), kind -> {
            var was = TieredPod.of(pod, before);
            var is = TieredPod.of(pod, after);
            return steps.stream()
                    .anyMatch(step -> !reach.mayHave(was, step.before()) && reach.mayHave(is, step.after()));
        });
    }
}
