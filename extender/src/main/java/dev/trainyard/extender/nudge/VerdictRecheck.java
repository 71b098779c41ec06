package dev.trainyard.extender.nudge;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.node.NodeProfile;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.TieredPod;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A second judgement of pods that were just refused. Nodes may have changed between the filter's verdict and its record in
 * {@link RefusedPods}. Not thread-safe.
 */
final class VerdictRecheck {

    private final LastResortFilter reach;
    private final Catalogue catalogue;
    private final NodeIndex index;
    private final Map<PodKind, Map<NodeProfile, Boolean>> known = new HashMap<>();
    private @Nullable Collection<NodeProfile> all;

    VerdictRecheck(LastResortFilter reach, Catalogue catalogue, NodeIndex index) {
        this.reach = reach;
        this.catalogue = catalogue;
        this.index = index;
    }

    /**
     * Whether the pod may use any of {@code nodes} now. Removed nodes are ignored.
     *
     * @param nodes empty for all nodes of the index
     */
    boolean mayHaveAny(PodFacts pod, List<IndexedNode> nodes) {
        var tiered = TieredPod.of(pod, catalogue);
        var byLook = known.computeIfAbsent(PodKind.of(pod), kind -> new IdentityHashMap<>());
        var looks = nodes.isEmpty()
                ? all().stream()
                : nodes.stream()
                        .map(node -> index.get(node.name()))
                        .filter(Objects::nonNull)
                        .map(IndexedState::look);
        return looks.anyMatch(node -> byLook.computeIfAbsent(node, look -> reach.mayHave(tiered, look)));
    }

    private Collection<NodeProfile> all() {
        if (all == null) {
            all = index.snapshot().values().stream().map(IndexedState::look).collect(Collectors.toSet());
        }
        return all;
    }
}
