package dev.trainyard.extender.score;

import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.NodeState;
import dev.trainyard.extender.pod.PodClass;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What one policy has said already: it is asked once for each state and class. Thread-safe, takes no lock to read. */
final class Ratings {

    /** Forgets everything at so many; nodes change, so most of it is of states that no node has any more. */
    private static final int MOST_STATES = 10_000;

    private static final int MOST_CLASSES = 50;

    private final ScorePolicy policy;
    private final Map<PodClass, OfClass> known = new ConcurrentHashMap<>();

    Ratings(ScorePolicy policy) {
        this.policy = policy;
    }

    /** Has another policy rate all that this one was asked about and that is still so. */
    void teach(Ratings other) {
        known.forEach((pod, ratings) -> ratings.teach(other.of(pod)));
    }

    /** Of nodes for pods of that class. */
    OfClass of(PodClass pod) {
        var ratings = known.get(pod);
        if (ratings == null) {
            if (known.size() >= MOST_CLASSES) {
                known.clear();
            }
            ratings = known.computeIfAbsent(pod, OfClass::new);
        }
        return ratings;
    }

    private record Rated(NodeState state, Rating rating) {}

    /** Ratings for one class of pods: by state, and, to find them faster, by the node that was last seen in it. */
    // The comparison of references is a shortcut: states that are equal, but not the same, are found by their hash.
    @SuppressWarnings("ReferenceEquality")
    final class OfClass {
        private final PodClass pod;
        private final Map<NodeState, Rated> byState = new ConcurrentHashMap<>();
        private volatile @Nullable Rated[] bySlot = new Rated[0];

        OfClass(PodClass pod) {
            this.pod = pod;
        }

        /** @param state that the node is in */
        Rating rating(IndexedNode node, NodeState state) {
            var slots = bySlot;
            int slot = node.slot();
            var last = slot >= 0 && slot < slots.length ? slots[slot] : null;
            return last != null && last.state() == state ? last.rating() : look(slot, state);
        }

        private Rating look(int slot, NodeState state) {
            var rated = byState.get(state);
            if (rated == null || rated.state() != state) {
                if (byState.size() >= MOST_STATES) {
                    byState.clear();
                }
                rated = new Rated(state, rated == null ? policy.rate(pod, state) : rated.rating());
                byState.put(state, rated);
            }
            if (slot >= 0) {
                remember(slot, rated);
            }
            return rated.rating();
        }

        /** What another thread remembers at the same time may be lost, and is then found by its state. */
        private void remember(int slot, Rated rated) {
            var slots = bySlot;
            if (slot >= slots.length) {
                slots = Arrays.copyOf(slots, Math.max(slot + 1, 2 * slots.length));
            }
            slots[slot] = rated;
            bySlot = slots;
        }

        void teach(OfClass other) {
            var slots = bySlot;
            for (int slot = 0; slot < slots.length; slot++) {
                var rated = slots[slot];
                if (rated != null) {
                    other.look(slot, rated.state());
                }
            }
        }
    }
}
