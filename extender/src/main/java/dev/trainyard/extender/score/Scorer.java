package dev.trainyard.extender.score;

import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.pod.TieredPod;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns the order of nodes - place of their pool in the pod's tier, then the policy's rating, then name - into the whole numbers 0 to 10
 * that the scheduler takes. Only the best node gets {@value #BEST}: the order has far more steps than there are numbers, and among equal
 * scores the scheduler picks at random. Of the others, those of an equally liked pool get 9 to 5 by level, all others 4 to 0 by pool; they
 * only say how close it was. Thread-safe.
 */
public final class Scorer {

    /** The highest that the scheduler expects: {@code MaxExtenderPriority} of {@code k8s.io/kube-scheduler/extender/v1}. */
    public static final int BEST = 10;

    public static final int WORST = 0;

    private static final int STEPS = 5;

    private volatile Ratings ratings;

    public Scorer(ScorePolicy policy) {
        this.ratings = new Ratings(policy);
    }

    /** From now on nodes are scored by that policy. */
    public void adopt(ScorePolicy policy) {
        ratings = new Ratings(policy);
    }

    /**
     * The same, when it has rated what the one before was asked about of late: that may take a second, and no request is to wait for
     * it. Not to be called by several threads at once.
     */
    public void adoptPrepared(ScorePolicy policy) {
        var next = new Ratings(policy);
        ratings.teach(next);
        ratings = next;
    }

    /** A score for every node, in the same order. One that is not known gets the worst. */
    public int[] score(TieredPod pod, List<IndexedNode> nodes) {
        var ratings = this.ratings.of(pod.podClass());
        var rated = new @Nullable Rating[nodes.size()];
        var preferences = new int[rated.length];
        int best = -1;
        var range = new Range();
        for (int i = 0; i < rated.length; i++) {
            var node = nodes.get(i);
            var state = node.state();
            if (state != null) {
                var rating = ratings.rating(node, state);
                rated[i] = rating;
                preferences[i] = rating.equals(Rating.NO_ROOM) ? pod.last() : pod.preference(state.pool());
                if (best < 0 || compare(i, best, rated, preferences, nodes) < 0) {
                    best = i;
                }
                range.add(preferences[i], rating.level());
            }
        }
        var scores = new int[rated.length];
        for (int i = 0; i < scores.length; i++) {
            var rating = rated[i];
            scores[i] = rating == null ? WORST : i == best ? BEST : range.score(preferences[i], rating.level());
        }
        return scores;
    }

    private static int compare(
            int one, int other, @Nullable Rating[] ratings, int[] preferences, List<IndexedNode> nodes) {
        int order = Integer.compare(preferences[one], preferences[other]);
        var mine = ratings[one];
        var theirs = ratings[other];
        if (order == 0 && mine != null && theirs != null) {
            order = mine.compareTo(theirs);
        }
        return order != 0
                ? order
                : nodes.get(one).name().compareTo(nodes.get(other).name());
    }

    /** From the best preference to the worst, and from the best level of the best preference to the worst. */
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
