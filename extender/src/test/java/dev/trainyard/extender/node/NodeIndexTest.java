package dev.trainyard.extender.node;

import static dev.trainyard.extender.ClusterFixture.annotated;
import static dev.trainyard.extender.ClusterFixture.inPhase;
import static dev.trainyard.extender.ClusterFixture.index;
import static dev.trainyard.extender.ClusterFixture.labelled;
import static dev.trainyard.extender.ClusterFixture.node;
import static dev.trainyard.extender.ClusterFixture.on;
import static dev.trainyard.extender.ClusterFixture.pod;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.extender.ClusterFixture;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.extender.pod.PodWatcher;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.InstantSource;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class NodeIndexTest {

    @Test
    void countsPodsThatCameBeforeTheirNode() {
        var index = index();
        index.put(on("a", pod("early", 1, 2)));
        assertThat(index.get("a")).isNull();

        index.put(node("a", 24, 4));
        assertThat(index.get("a").gpus().total()).isEqualTo(1000 * 2);
        assertThat(index.get("a").freeCpu()).isEqualTo(23_000);
    }

    @Test
    void countsAPodOnceHoweverOftenItIsSeen() {
        var index = index(node("a", 24, 4));
        var running = on("a", pod("pod", 1, 1));
        index.put(running);
        index.put(inPhase("Running", running));
        index.put(running);

        assertThat(index.get("a").gpus().total()).isEqualTo(1000 * 3);
    }

    @Test
    void givesBackWhatAPodTookWhenItEndsOrGoes() {
        var index = index(node("a", 24, 4));
        var one = on("a", pod("one", 1, 1));
        var two = on("a", pod("two", 1, 1));
        index.put(one);
        index.put(two);
        index.put(inPhase("Succeeded", one));
        assertThat(index.get("a").gpus().total()).isEqualTo(1000 * 3);

        index.remove(two);
        index.remove(two);
        assertThat(index.get("a")).isEqualTo(index(node("a", 24, 4)).get("a"));
    }

    @Test
    void ignoresPodsWithoutANode() {
        var index = index(node("a", 24, 4));
        index.put(pod("waiting", 1, 1));

        assertThat(index.get("a").gpus().total()).isEqualTo(1000 * 4);
    }

    @Test
    void movesAPodThatWasMadeAnewUnderItsName() {
        var index = index(node("a", 24, 4), node("b", 24, 4));
        index.put(on("a", pod("worker-0", 1, 1)));
        index.put(on("b", pod("worker-0", 1, 2)));

        assertThat(index.get("a").gpus().total()).isEqualTo(1000 * 4);
        assertThat(index.get("b").gpus().total()).isEqualTo(1000 * 2);
    }

    @Test
    void findsPoolsAnewWhenTheConfigurationChanges() {
        var index = new NodeIndex(InstantSource.system());
        index.put(node("a", "heavy-spot", 24, 0));
        assertThat(index.get("a").pool()).isNull();
        assertThat(index.get("a").look().isOfGpuNode()).isFalse();

        index.configure(ClusterFixture.CATALOGUE);
        assertThat(index.get("a").pool().name()).isEqualTo("heavy-spot");
        assertThat(index.get("a").look().isOfGpuNode()).isTrue();

        index.configure(Catalogue.EMPTY);
        assertThat(index.get("a").pool()).isNull();
    }

    @Test
    void leavesOutAMalformedNodeUntilItIsMended() {
        var index = index(node("good", 4, 0), node("bad", 4, 0));
        var bad = new NodeBuilder(node("bad", 4, 0))
                .editStatus()
                .addToAllocatable("cpu", new Quantity("many"))
                .endStatus()
                .build();
        index.put(bad);
        assertThat(index.get("bad")).isNull();
        assertThat(index.get("good")).isNotNull();

        index.put(node("bad", 4, 0));
        assertThat(index.get("bad")).isNotNull();
    }

    @Test
    void leavesOutAMalformedPodAndCountsTheOthers() {
        var index = index(node("a", 24, 4));
        var bad = new PodBuilder(on("a", pod("bad", 1, 1)))
                .editSpec()
                .editFirstContainer()
                .editResources()
                .addToRequests("cpu", new Quantity("some"))
                .endResources()
                .endContainer()
                .endSpec()
                .build();
        index.put(bad);
        index.put(on("a", pod("good", 1, 1)));

        assertThat(index.get("a").gpus().total()).isEqualTo(1000 * 3);
    }

    @Test
    void givesEqualNodesTheSameState() {
        var index = index(node("a", 24, 4), node("b", 24, 4), node("c", 24, 2));
        assertThat(index.get("a")).isSameAs(index.get("b")).isNotSameAs(index.get("c"));

        index.put(on("a", pod("pod", 1, 1)));
        assertThat(index.get("a")).isNotSameAs(index.get("b"));
        index.put(on("b", pod("twin", 1, 1)));
        assertThat(index.get("a")).isSameAs(index.get("b"));
    }

    @Test
    void knowsWhatSharesLeaveOfEachGpu() {
        var index = index(node("a", 24, 2));
        index.put(on("a", annotated(pod("half", 1, 0), "trainyard.dev/gpu-milli", "500")));
        index.put(on("a", annotated(pod("third", 1, 0), "trainyard.dev/gpu-milli", "300")));
        assertThat(index.get("a").gpus()).hasToString("[200, 1000]");

        var given = annotated(pod("given", 1, 0), "trainyard.dev/gpu-milli", "300");
        index.put(on("a", annotated(given, "trainyard.dev/gpu-index", "1")));
        assertThat(index.get("a").gpus()).hasToString("[200, 700]");
    }

    @Test
    void takesTheKindOfGpuFromTheLabelsElseFromThePromise() {
        var index = index(
                node("promised", "v100", 24, 4),
                labelled(node("labelled", "v100", 24, 4), "nvidia.com/gpu.memory", "32768"),
                node("unknown", 24, 4));

        assertThat(index.get("promised").kind()).hasToString("Tesla-V100-SXM2-16GB with 16Gi");
        assertThat(index.get("labelled").kind()).hasToString("Tesla-V100-SXM2-16GB with 32Gi");
        assertThat(index.get("unknown").kind()).isEqualTo(GpuKind.UNKNOWN);
    }

    @Test
    void tellsWatchersOfPodsThatAreThereAndOfThoseThatCome() {
        var index = index();
        index.put(pod("first", 1, 1));
        var heard = new ArrayList<String>();
        index.watch(new PodWatcher() {
            @Override
            public void seen(PodFacts pod) {
                heard.add("seen " + pod.name());
            }

            @Override
            public void gone(PodFacts last) {
                heard.add("gone " + last.name());
            }
        });
        index.put(pod("second", 1, 1));
        index.remove(pod("first", 1, 1));
        index.remove(pod("first", 1, 1));

        assertThat(heard).containsExactly("seen first", "seen second", "gone first");
    }

    @Test
    void tellsWatchersThatAPodIsGoneWhenThereIsAnotherOfItsName() {
        var index = index();
        var first = pod("worker-0", 1, 1);
        index.put(first);
        var heard = new ArrayList<String>();
        index.watch(new PodWatcher() {
            @Override
            public void seen(PodFacts pod) {
                heard.add("seen " + pod.uid());
            }

            @Override
            public void gone(PodFacts last) {
                heard.add("gone " + last.uid());
            }
        });
        index.put(new PodBuilder(first)
                .editMetadata()
                .withUid("second")
                .endMetadata()
                .build());

        var uid = first.getMetadata().getUid();
        assertThat(heard).containsExactly("seen " + uid, "gone " + uid, "seen second");
    }

    @Test
    void tellsWatchersOfNodesThatChangeButNotOfThoseThatComeAndGo() {
        var index = index(node("a", 24, 4));
        var heard = new ArrayList<String>();
        index.watch((node, before, after) -> heard.add(node + " " + before.gpus() + " " + after.gpus()));
        index.put(node("b", 24, 4));
        index.put(on("b", pod("pod", 1, 3)));
        index.put(on("b", pod("pod", 1, 3)));
        index.remove(node("a", 24, 4));

        assertThat(heard).containsExactly("b [1000, 1000, 1000, 1000] [0, 0, 0, 1000]");
    }

    @Test
    void findsNodesByNameHoweverManyComeAndGo() {
        var index = index();
        for (int round = 0; round < 3; round++) {
            for (int number = 0; number < 1000; number++) {
                index.put(node("node-" + round + "-" + number, 4, number % 5));
            }
            for (int number = 0; number < 1000; number++) {
                var name = "node-" + round + "-" + number;
                var ends = new int[] {2, 2 + name.length()};
                var found =
                        index.nodes(("a " + name).getBytes(US_ASCII), ends, 1).get(0);
                assertThat(found.name()).isEqualTo(name);
                assertThat(found.state().gpus().gpus()).isEqualTo(number % 5);
                assertThat(index.node(found.name())).isSameAs(found);
                assertThat(found.slot()).isBetween(0, 2999);
            }
            for (int number = 1; number < 1000; number++) {
                index.remove(node("node-" + round + "-" + number, 4, 0));
            }
            assertThat(index.size()).isEqualTo(round + 1);
            assertThat(index.snapshot()).hasSize(round + 1);
        }
        assertThat(index.node("node-0-0").state()).isNotNull();
        assertThat(index.node("node-0-1").state()).isNull();
        assertThat(index.node("never-there").slot()).isNegative();
    }
}
