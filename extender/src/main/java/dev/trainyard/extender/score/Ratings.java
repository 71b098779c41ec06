package dev.trainyard.extender.score;

import dev.trainyard.extender.node.NodeState;
import dev.trainyard.extender.pod.PodClass;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What one policy has said already: it is asked once for each state and class. Thread-safe, takes no lock to read. */
final class Ratings {

    /** Forgets everything at so many; nodes change, so most of it is of states that no node has any more. */
    private static final int MOST_STATES = 20_000;

    private static final int MOST_CLASSES = 1_000;

    private final ScorePolicy policy;
    private final Map<PodClass, Map<NodeState, Rating>> known = new ConcurrentHashMap<>();

    Ratings(ScorePolicy policy) {
        this.policy = policy;
    }

    ScorePolicy policy() {
        return policy;
    }

    /** Of nodes for pods of that class. */
    Of of(PodClass pod) {
        if (known.size() > MOST_CLASSES) {
            known.clear();
        }
        var ratings = known.computeIfAbsent(pod, any -> new ConcurrentHashMap<>());
        if (ratings.size() > MOST_STATES) {
            ratings.clear();
        }
        return node -> {
            var rating = ratings.get(node);
            if (rating == null) {
                rating = policy.rate(pod, node);
                ratings.put(node, rating);
            }
            return rating;
        };
    }

    /** Ratings for one class of pods. */
    @FunctionalInterface
    interface Of {
        Rating rating(NodeState node);
    }
}
