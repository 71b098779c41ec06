package dev.trainyard.extender.score;

import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.NodeProfile;
import dev.trainyard.extender.pod.TieredPod;
import dev.trainyard.extender.score.Ratings.Rated;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A scorer that orders nodes and turns the order into the whole numbers 0 to 10 that the scheduler accepts. Nodes are ordered by the rank
 * of their pool in the pod's tier, then by the policy's rating, then by name. Only the best node gets {@value #BEST}, because the scheduler
 * chooses at random among equal scores. Other nodes of the best rank get 9 to 5 by {@link Rating#level}, and all other nodes 4 to 0 by
 * rank. These lower scores only show how close a node was. Thread-safe.
 */
public final class Scorer {

    /** The highest score that the scheduler expects: {@code MaxExtenderPriority} of {@code k8s.io/kube-scheduler/extender/v1}. */
    public static final int BEST = 10;

    public static final int WORST = 0;

    private static final int STEPS = 5;

    private volatile Ratings ratings;

    public Scorer(ScorePolicy policy) {
        this.ratings = new Ratings(policy);
    }

    /** Replaces the policy at once. */
    public void adopt(ScorePolicy policy) {
        ratings = new Ratings(policy);
    }

    /**
     * Replaces the policy after the new policy has rated the nodes that the old policy rated recently. The rating may take a second;
     * requests use the old policy meanwhile. Must not be called by several threads at once.
     */
    public void adoptPrepared(ScorePolicy policy) {
        var next = new Ratings(policy);
        ratings.teach(next);
        ratings = next;
    }

    /** Returns the best node; empty if the index knows none of the nodes. */
    public Optional<IndexedNode> best(TieredPod pod, List<IndexedNode> nodes) {
        return best(pod, nodes, (node, profile) -> true);
    }

    /**
     * Returns the best node that passes; empty if the index knows none. Rates only nodes that pass.
     *
     * @param passes whether the pod may use a node with this profile. Called once for each node that the index knows
     */
    public Optional<IndexedNode> best(
            TieredPod pod, List<IndexedNode> nodes, BiPredicate<IndexedNode, NodeProfile> passes) {
        var ratings = this.ratings.of(pod.podClass());
        IndexedNode best = null;
        Rated bestRating = null;
        int bestPreference = 0;
        for (var node : nodes) {
            var state = node.state();
            if (state == null) {
                continue;
            }
            var stored = ratings.stored(node, state);
            if (passes.test(node, stored == null ? state.look() : stored.look())) {
                var rating = stored == null ? ratings.rated(node, state) : stored;
                int preference = preference(pod, rating);
                if (best == null
                        || bestRating == null
                        || compare(preference, rating, node, bestPreference, bestRating, best) < 0) {
                    best = node;
                    bestRating = rating;
                    bestPreference = preference;
                }
            }
        }
        return Optional.ofNullable(best);
    }

    /** Returns a score for every node, in the order of {@code nodes}. An unknown node gets {@link #WORST}. */
    public int[] score(TieredPod pod, List<IndexedNode> nodes) {
        var ranked = ranked(pod, nodes);
        var range = new Range();
        var scores = new int[nodes.size()];
        for (int i = 0; i < scores.length; i++) {
            var rating = ranked.ratings()[i];
            if (rating != null) {
                range.add(ranked.preferences()[i], rating.level());
            }
        }
        for (int i = 0; i < scores.length; i++) {
            var rating = ranked.ratings()[i];
            scores[i] = rating == null
                    ? WORST
                    : i == ranked.best() ? BEST : range.score(ranked.preferences()[i], rating.level());
        }
        return scores;
    }

    /**
     * The nodes of a request, rated.
     *
     * @param ratings by the node's position; null for a node that the index does not know
     * @param preferences ranks in the pod's tier, by the node's position; lower is better
     * @param best the best node's position; -1 if the index knows none of the nodes
     */
    private record Ranked(@Nullable Rated[] ratings, int[] preferences, int best) {}

    private Ranked ranked(TieredPod pod, List<IndexedNode> nodes) {
        var ratings = this.ratings.of(pod.podClass());
        var rated = new @Nullable Rated[nodes.size()];
        var preferences = new int[rated.length];
        int best = -1;
        for (int i = 0; i < rated.length; i++) {
            var node = nodes.get(i);
            var state = node.state();
            if (state != null) {
                var rating = ratings.rated(node, state);
                rated[i] = rating;
                preferences[i] = preference(pod, rating);
                var before = best < 0 ? null : rated[best];
                if (before == null
                        || compare(preferences[i], rating, node, preferences[best], before, nodes.get(best)) < 0) {
                    best = i;
                }
            }
        }
        return new Ranked(rated, preferences, best);
    }

    private static int preference(TieredPod pod, Rated rating) {
        return rating.hasRoom() ? pod.preference(rating.pool()) : pod.last();
    }

    private static int compare(
            int preference,
            Rated rating,
            IndexedNode node,
            int otherPreference,
            Rated otherRating,
            IndexedNode otherNode) {
        int order = Integer.compare(preference, otherPreference);
        if (order == 0) {
            order = rating.compareTo(otherRating);
        }
        return order != 0 ? order : node.name().compareTo(otherNode.name());
    }

    /** The range of ranks, and the range of levels within the best rank. */
    private static final class Range {
        private int bestPreference = Integer.MAX_VALUE;
        private int worstPreference = Integer.MIN_VALUE;
        private long bestLevel;
        private long worstLevel;

        void add(int preference, long level) {
            if (preference < bestPreference) {
                bestPreference = preference;
                bestLevel = level;
                worstLevel = level;
            } else if (preference == bestPreference) {
                bestLevel = Math.min(bestLevel, level);
                worstLevel = Math.max(worstLevel, level);
            }
            worstPreference = Math.max(worstPreference, preference);
        }

        int score(int preference, long level) {
            if (preference == bestPreference) {
                return BEST - 1 - (int) (STEPS * (level - bestLevel) / (worstLevel - bestLevel + 1));
            }
            return STEPS - 1 - STEPS * (preference - bestPreference - 1) / (worstPreference - bestPreference);
        }
    }
}
