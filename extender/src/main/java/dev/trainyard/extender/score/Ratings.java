package dev.trainyard.extender.score;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.node.NodeProfile;
import dev.trainyard.extender.pod.PodClass;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A cache of one policy's ratings. The policy is called once for each node state and class of pods. Thread-safe; reads take no lock. */
final class Ratings {

    /** The number of states at which all of them are forgotten. Nodes change, so most of the stored states are no longer in use. */
    private static final int MOST_STATES = 10_000;

    private static final int MOST_CLASSES = 50;

    private final ScorePolicy policy;
    private final Map<PodClass, OfClass> known = new ConcurrentHashMap<>();

    Ratings(ScorePolicy policy) {
        this.policy = policy;
    }

    /** Fills another policy's cache with ratings of the classes and the latest node states in this cache. */
    void teach(Ratings other) {
        known.forEach((pod, ratings) -> ratings.teach(other.of(pod)));
    }

    /** Returns the ratings for pods of that class. */
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

    /**
     * A state with its rating, in one object. A request reads thousands of states, and each further object would be a further wait for the
     * memory. Among states of one rank, a lower rating is better.
     *
     * @param look the profile of the state
     * @param pool the pool of the state
     * @param hasRoom whether the rating is not {@link Rating#NO_ROOM}
     * @param level the rating's level
     * @param leftover the rating's leftover
     */
    record Rated(
            IndexedState state, NodeProfile look, @Nullable Pool pool, boolean hasRoom, long level, double leftover)
            implements Comparable<Rated> {

        private static Rated of(IndexedState state, Rating rating) {
            return new Rated(
                    state,
                    state.look(),
                    state.pool(),
                    !rating.equals(Rating.NO_ROOM),
                    rating.level(),
                    rating.leftover());
        }

        private Rated withState(IndexedState equal) {
            return new Rated(equal, equal.look(), equal.pool(), hasRoom, level, leftover);
        }

        @Override
        public int compareTo(Rated other) {
            return Rating.compare(level, leftover, other.level, other.leftover);
        }
    }

    /**
     * Ratings for one class of pods, by state. For faster access, the last rating of each node is also stored by {@link IndexedNode#slot}.
     */
    // The comparison of references is a shortcut: equal states in different objects are found by their hash.
    @SuppressWarnings("ReferenceEquality")
    final class OfClass {
        private final PodClass pod;
        private final Map<IndexedState, Rated> byState = new ConcurrentHashMap<>();
        private volatile @Nullable Rated[] bySlot = new Rated[0];

        OfClass(PodClass pod) {
            this.pod = pod;
        }

        /** @param state the current state of the node */
        Rated rated(IndexedNode node, IndexedState state) {
            var stored = stored(node, state);
            return stored != null ? stored : look(node.slot(), state);
        }

        /** Returns the rating that is stored by the node's slot; null if there is none for {@code state}. */
        @Nullable
        Rated stored(IndexedNode node, IndexedState state) {
            var slots = bySlot;
            int slot = node.slot();
            var last = slot >= 0 && slot < slots.length ? slots[slot] : null;
            return last != null && last.state() == state ? last : null;
        }

        private Rated look(int slot, IndexedState state) {
            var rated = byState.get(state);
            if (rated == null || rated.state() != state) {
                if (byState.size() >= MOST_STATES) {
                    byState.clear();
                }
                rated = rated == null ? Rated.of(state, policy.rate(pod, state)) : rated.withState(state);
                byState.put(state, rated);
            }
            if (slot >= 0) {
                remember(slot, rated);
            }
            return rated;
        }

        /** Stores a rating by slot. Concurrent writes may get lost; a lost rating is found by its state. */
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
