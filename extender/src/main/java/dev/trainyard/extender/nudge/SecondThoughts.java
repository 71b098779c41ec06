package dev.trainyard.extender.nudge;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.node.NodeState;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.TieredPod;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Judges pods that were refused a moment ago once more: something may have changed between the verdict and our hearing of it. For one
 * thread.
 */
final class SecondThoughts {

    private final Reach reach;
    private final Catalogue catalogue;
    private final NodeIndex index;
    private final Map<PodKind, Map<NodeState, Boolean>> known = new HashMap<>();
    private @Nullable Collection<NodeState> all;

    SecondThoughts(Reach reach, Catalogue catalogue, NodeIndex index) {
        this.reach = reach;
        this.catalogue = catalogue;
        this.index = index;
    }

    /**
     * Whether it may have any of those nodes now; one that is gone it may not.
     *
     * @param names none: any node at all
     */
    boolean mayHaveAny(PodFacts pod, List<String> names) {
        var tiered = TieredPod.of(pod, catalogue);
        var byState = known.computeIfAbsent(PodKind.of(pod), kind -> new IdentityHashMap<>());
        var nodes = names.isEmpty()
                ? all().stream()
                : names.stream().map(index::get).filter(Objects::nonNull);
        return nodes.anyMatch(node -> byState.computeIfAbsent(node, state -> reach.mayHave(tiered, state)));
    }

    private Collection<NodeState> all() {
        if (all == null) {
            all = Set.copyOf(index.snapshot().values());
        }
        return all;
    }
}
