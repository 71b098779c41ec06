package dev.trainyard.extender.score;

import static dev.trainyard.extender.Cluster.index;
import static dev.trainyard.extender.Cluster.node;
import static dev.trainyard.extender.Cluster.on;
import static dev.trainyard.extender.Cluster.pod;
import static dev.trainyard.extender.Cluster.tiered;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.wire.HostScore;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScorerTest {

    private static final Scorer SCORER = new Scorer(new BestFit());

    @Test
    void prefersTheFirstPoolOfTheTierToATighterFitInTheSecond() {
        var index = index(node("ondemand", "heavy-ondemand", 24, 4), node("spot", "heavy-spot", 24, 4));
        index.put(on("ondemand", pod("other", 20, 3)));

        assertThat(score(pod("tiered", "heavy", 1, 1), index, "ondemand", "spot"))
                .containsExactly(new HostScore("ondemand", 9), new HostScore("spot", 10));
    }

    @Test
    void prefersNodesOfTheTierToNodesOfNoPool() {
        var index = index(node("a-poolless", 24, 1), node("ondemand", "heavy-ondemand", 24, 4));

        assertThat(best(pod("tiered", "heavy", 1, 1), index, "a-poolless", "ondemand"))
                .isEqualTo("ondemand");
    }

    @Test
    void prefersTheNodeWithTheFewestGpusLeft() {
        var index = index(node("a-empty", 24, 4), node("b-one-left", 24, 4), node("c-two-left", 24, 4));
        index.put(on("b-one-left", pod("three", 1, 3)));
        index.put(on("c-two-left", pod("two", 20, 2)));

        assertThat(best(pod("single", 1, 1), index, "a-empty", "b-one-left", "c-two-left"))
                .isEqualTo("b-one-left");
    }

    @Test
    void prefersTheFullestOfNodesWithEqualGpus() {
        var index = index(node("a-empty", 4, 0), node("b-full", 4, 0));
        index.put(on("b-full", pod("other", 2, 0)));

        assertThat(best(pod("cpu", 1, 0), index, "a-empty", "b-full")).isEqualTo("b-full");
    }

    @Test
    void givesEqualNodesToTheFirstByNameWhateverTheirOrder() {
        var index = index(node("a", 4, 0), node("b", 4, 0), node("c", 4, 0));

        assertThat(best(pod("cpu", 1, 0), index, "c", "a", "b")).isEqualTo("a");
    }

    @Test
    void givesNodesThatAreNotKnownYetTheWorstScore() {
        assertThat(score(pod("cpu", 1, 0), index(node("known", 4, 0)), "new", "known"))
                .containsExactly(new HostScore("new", 0), new HostScore("known", 10));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 10, 11, 12, 500, 5000})
    void hasOneBestNodeAndScoresThatFallWithRank(int nodes) {
        var names = new ArrayList<>(
                IntStream.range(0, nodes).mapToObj("node-%04d"::formatted).toList());
        var index = index();
        names.forEach(name -> index.put(node(name, 4, 0)));
        Collections.shuffle(names, new Random(Long.getLong("trainyard.seed", 42)));

        var scores = SCORER.score(tiered(pod("cpu", 1, 0)), names, index::get);

        assertThat(scores).extracting(HostScore::host).containsExactlyElementsOf(names);
        assertThat(scores).extracting(HostScore::score).containsOnlyOnce(10).allMatch(score -> score >= 0);
        var byRank = scores.stream()
                .sorted((a, b) -> a.host().compareTo(b.host()))
                .map(HostScore::score)
                .toList();
        assertThat(byRank).isSortedAccordingTo(Collections.reverseOrder());
        if (nodes > 11) {
            assertThat(byRank).contains(10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        }
    }

    @Test
    void scoresNothingWhenThereIsNothing() {
        assertThat(score(pod("cpu", 1, 0), index())).isEmpty();
    }

    private static List<HostScore> score(Pod pod, NodeIndex index, String... names) {
        return SCORER.score(tiered(pod), List.of(names), index::get);
    }

    private static String best(Pod pod, NodeIndex index, String... names) {
        return score(pod, index, names).stream()
                .filter(score -> score.score() == HostScore.BEST)
                .map(HostScore::host)
                .reduce((a, b) -> a + " and " + b)
                .orElse("none");
    }
}
