package dev.trainyard.extender.score;

import static dev.trainyard.extender.ClusterFixture.annotated;
import static dev.trainyard.extender.ClusterFixture.index;
import static dev.trainyard.extender.ClusterFixture.node;
import static dev.trainyard.extender.ClusterFixture.nodes;
import static dev.trainyard.extender.ClusterFixture.on;
import static dev.trainyard.extender.ClusterFixture.pod;
import static dev.trainyard.extender.ClusterFixture.tiered;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.extender.node.IndexedNode;
import dev.trainyard.extender.node.IndexedState;
import dev.trainyard.extender.node.NodeIndex;
import dev.trainyard.extender.pod.TieredPod;
import dev.trainyard.extender.workload.TypicalWorkload;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScorerTest {

    private static final ScorePolicy PACK = new Pack();
    private static final Scorer SCORER = new Scorer(PACK);

    @Test
    void prefersTheFirstPoolOfTheTierToATighterFitInTheSecond() {
        var index = index(node("ondemand", "heavy-ondemand", 24, 4), node("spot", "heavy-spot", 24, 4));
        index.put(on("ondemand", pod("other", 20, 3)));

        assertThat(score(pod("tiered", "heavy", 1, 1), index, "ondemand", "spot"))
                .containsExactly(4, 10);
    }

    @Test
    void prefersTheTighterFitAmongEquallyPreferredPools() {
        var index = index(node("ondemand", "heavy-ondemand", 24, 4), node("spot", "heavy-spot", 24, 4));
        index.put(on("ondemand", pod("other", 20, 3)));

        assertThat(best(pod("tiered", "heavy-any", 1, 1), index, "ondemand", "spot"))
                .isEqualTo("ondemand");
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
    void takesTheBestOfTheNodesThatPass() {
        var index = index(node("spot", "heavy-spot", 24, 4), node("ondemand", "heavy-ondemand", 24, 4));
        var nodes = nodes(index, List.of("new", "spot", "ondemand"));
        var pod = tiered(pod("tiered", "heavy", 1, 1));

        assertThat(SCORER.best(pod, nodes)).map(IndexedNode::name).hasValue("spot");
        assertThat(SCORER.best(pod, nodes, (node, profile) -> !node.name().equals("spot")))
                .map(IndexedNode::name)
                .hasValue("ondemand");
        assertThat(SCORER.best(pod, nodes, (node, profile) -> false)).isEmpty();
    }

    @Test
    void givesEqualNodesToTheFirstByNameWhateverTheirOrder() {
        var index = index(node("a", 4, 0), node("b", 4, 0), node("c", 4, 0));

        assertThat(best(pod("cpu", 1, 0), index, "c", "a", "b")).isEqualTo("a");
    }

    @Test
    void givesNodesThatAreNotKnownYetTheWorstScore() {
        assertThat(score(pod("cpu", 1, 0), index(node("known", 4, 0)), "new", "known"))
                .containsExactly(0, 10);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 10, 11, 12, 500, 5000})
    void hasOneBestNodeAndScoresThatFallWithRank(int nodes) {
        var names = new ArrayList<>(
                IntStream.range(0, nodes).mapToObj("node-%04d"::formatted).toList());
        var index = index();
        names.forEach(name -> index.put(node(name, 4, 0)));
        Collections.shuffle(names, new Random(Long.getLong("trainyard.seed", 42)));

        var scores = SCORER.score(tiered(pod("cpu", 1, 0)), nodes(index, names));

        assertThat(scores).hasSize(nodes).containsOnlyOnce(10);
        assertThat(scores[names.indexOf("node-0000")]).isEqualTo(10);
    }

    @Property(seed = "42")
    void neverScoresTheWorseOfTwoNodesHigherAndChoosesTheNodeWithTheHighestScore(
            @ForAll @Size(max = 40) List<@IntRange(max = 300) Integer> nodes) {
        var index = index();
        var names = new ArrayList<String>();
        for (int number = 0; number < nodes.size(); number++) {
            var name = "node-" + number;
            names.add(name);
            var pool = List.of("heavy-spot", "heavy-ondemand", "").get(nodes.get(number) % 3);
            index.put(pool.isEmpty() ? node(name, 24, 4) : node(name, pool, 24, 4));
            index.put(on(name, pod("on-" + name, 1 + nodes.get(number) % 20, nodes.get(number) % 4)));
        }
        var pod = tiered(pod("tiered", "heavy", 1, 1));
        var scores = SCORER.score(pod, nodes(index, names));

        for (int i = 0; i < scores.length; i++) {
            for (int j = 0; j < scores.length; j++) {
                int order = order(pod, index.get(names.get(i)), index.get(names.get(j)));
                if (order < 0) {
                    assertThat(scores[i]).isGreaterThanOrEqualTo(scores[j]);
                } else if (order == 0 && names.get(i).compareTo(names.get(j)) < 0) {
                    assertThat(scores[i]).isGreaterThanOrEqualTo(scores[j]);
                }
            }
        }
        assertThat(IntStream.of(scores).allMatch(score -> score >= 0 && score <= 10))
                .isTrue();
        assertThat(IntStream.of(scores).filter(score -> score == 10).count()).isEqualTo(nodes.isEmpty() ? 0 : 1);
        assertThat(SCORER.best(pod, nodes(index, names)).map(best -> scores[names.indexOf(best.name())]))
                .isEqualTo(nodes.isEmpty() ? Optional.empty() : Optional.of(Scorer.BEST));
    }

    private static int order(TieredPod pod, IndexedState one, IndexedState other) {
        int order = Integer.compare(pod.preference(one.pool()), pod.preference(other.pool()));
        return order != 0 ? order : PACK.rate(pod.podClass(), one).compareTo(PACK.rate(pod.podClass(), other));
    }

    @Test
    void asksAPolicyOnceForEachStateAndClass() {
        var asked = new ArrayList<String>();
        var scorer = new Scorer(counting("first", asked));
        var index = index(node("a", 4, 0), node("b", 4, 0), node("c", 8, 0));

        scorer.score(tiered(pod("one", 1, 0)), nodes(index, List.of("a", "b", "c")));
        scorer.score(tiered(pod("two", 1, 0)), nodes(index, List.of("a", "b", "c")));
        assertThat(asked).containsExactly("first", "first"); // two states, one class
        scorer.adopt(counting("second", asked));
        scorer.score(tiered(pod("three", 1, 0)), nodes(index, List.of("a", "b")));
        assertThat(asked).containsExactly("first", "first", "second");
    }

    @Test
    void ratesOnlyNodesThatPass() {
        var asked = new ArrayList<String>();
        var scorer = new Scorer(counting("asked", asked));
        var index = index(node("refused", 8, 0), node("passes", 4, 0));
        var nodes = nodes(index, List.of("refused", "passes"));
        var pod = tiered(pod("cpu", 1, 0));

        for (int request = 0; request < 2; request++) {
            assertThat(scorer.best(pod, nodes, (node, profile) -> node.name().equals("passes")))
                    .map(IndexedNode::name)
                    .hasValue("passes");
            assertThat(asked).hasSize(1);
        }
        scorer.best(pod, nodes);
        assertThat(asked).hasSize(2);
    }

    @Test
    void aPreparedPolicyHasRatedAllThatWasAskedForBeforeItIsAdopted() {
        var asked = new ArrayList<String>();
        var scorer = new Scorer(counting("first", asked));
        var index = index(node("a", 4, 0), node("b", 8, 0));
        scorer.score(tiered(pod("one", 1, 0)), nodes(index, List.of("a", "b")));
        scorer.score(tiered(pod("other", 2, 0)), nodes(index, List.of("b")));

        asked.clear();
        scorer.adoptPrepared(counting("second", asked));
        assertThat(asked).containsExactly("second", "second", "second");
        scorer.score(tiered(pod("one", 1, 0)), nodes(index, List.of("a", "b")));
        scorer.score(tiered(pod("other", 2, 0)), nodes(index, List.of("b")));
        assertThat(asked).hasSize(3);
    }

    @Test
    void prefersAnyNodeWithRoomToOneWithoutWhateverItsPool() {
        var index = index(node("ondemand", "heavy-ondemand", 24, 2), node("spot", "heavy-spot", 24, 2));
        for (int share = 0; share < 4; share++) {
            index.put(on("spot", annotated(pod("half-" + share, 1, 0), "trainyard.dev/gpu-milli", "500")));
        }
        var half = annotated(pod("half", "heavy", 1, 0), "trainyard.dev/gpu-milli", "500");

        for (var policy : List.of(PolicyName.values())) {
            var scores = new Scorer(policy.with(TypicalWorkload.UNKNOWN))
                    .score(tiered(half), nodes(index, List.of("spot", "ondemand")));
            assertThat(scores[1]).as(policy.name()).isEqualTo(10);
        }
    }

    private static ScorePolicy counting(String name, List<String> asked) {
        return (pod, node) -> {
            asked.add(name);
            return PACK.rate(pod, node);
        };
    }

    @Test
    void scoresNothingWhenThereIsNothing() {
        assertThat(score(pod("cpu", 1, 0), index())).isEmpty();
    }

    private static int[] score(Pod pod, NodeIndex index, String... names) {
        return SCORER.score(tiered(pod), nodes(index, List.of(names)));
    }

    private static String best(Pod pod, NodeIndex index, String... names) {
        var scores = score(pod, index, names);
        return IntStream.range(0, scores.length)
                .filter(i -> scores[i] == Scorer.BEST)
                .mapToObj(i -> names[i])
                .reduce((a, b) -> a + " and " + b)
                .orElse("none");
    }
}
