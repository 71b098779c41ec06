package dev.trainyard.extender.score;

import dev.trainyard.extender.node.NodeRecord;
import dev.trainyard.extender.pod.TieredPod;
import dev.trainyard.extender.wire.HostScore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Turns a policy's order of nodes into the whole numbers 0 to 10 that the scheduler takes. Only the best node gets 10: the order
 * has far more steps than there are numbers, and among equal scores the scheduler picks at random. All others get 9 to 0 by rank.
 * Nodes with equal keys rank by name. Pure.
 */
public final class Scorer {

    private record Ranked(int place, String name, ScoreKey key) {}

    private static final Comparator<Ranked> ORDER =
            Comparator.comparing(Ranked::key).thenComparing(Ranked::name);

    private final ScorePolicy policy;

    public Scorer(ScorePolicy policy) {
        this.policy = policy;
    }

    /**
     * A score for every name, in the same order.
     *
     * @param index what is known of a node; one that is not known gets the worst score
     */
    public List<HostScore> score(TieredPod pod, List<String> names, Function<String, @Nullable NodeRecord> index) {
        var ranking = new ArrayList<Ranked>(names.size());
        var scores = new HostScore[names.size()];
        for (int place = 0; place < scores.length; place++) {
            var name = names.get(place);
            var node = index.apply(name);
            if (node == null) {
                scores[place] = new HostScore(name, HostScore.WORST);
            } else {
                ranking.add(new Ranked(place, name, policy.key(pod, node)));
            }
        }
        Collections.sort(ranking, ORDER);
        for (int rank = 0; rank < ranking.size(); rank++) {
            var ranked = ranking.get(rank);
            scores[ranked.place()] = new HostScore(ranked.name(), scoreOf(rank, ranking.size()));
        }
        return Arrays.asList(scores);
    }

    private static int scoreOf(int rank, int nodes) {
        if (rank == 0) {
            return HostScore.BEST;
        }
        // Ranks 1 to nodes - 1 in ten equal parts, the first of which gets 9.
        return HostScore.BEST - 1 - (int) (10L * (rank - 1) / (nodes - 1));
    }
}
