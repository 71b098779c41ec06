package dev.trainyard.extender.node;

import static dev.trainyard.extender.Cluster.inPhase;
import static dev.trainyard.extender.Cluster.index;
import static dev.trainyard.extender.Cluster.node;
import static dev.trainyard.extender.Cluster.on;
import static dev.trainyard.extender.Cluster.pod;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.extender.Cluster;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import org.junit.jupiter.api.Test;

class NodeIndexTest {

    @Test
    void countsPodsThatCameBeforeTheirNode() {
        var index = index();
        index.put(on("a", pod("early", 1, 2)));
        assertThat(index.get("a")).isNull();

        index.put(node("a", 24, 4));
        assertThat(index.get("a").free().gpus()).isEqualTo(2);
        assertThat(index.get("a").free().get("cpu")).isEqualTo(23_000);
    }

    @Test
    void countsAPodOnceHoweverOftenItIsSeen() {
        var index = index(node("a", 24, 4));
        var running = on("a", pod("pod", 1, 1));
        index.put(running);
        index.put(inPhase("Running", running));
        index.put(running);

        assertThat(index.get("a").free().gpus()).isEqualTo(3);
    }

    @Test
    void givesBackWhatAPodTookWhenItEndsOrGoes() {
        var index = index(node("a", 24, 4));
        var one = on("a", pod("one", 1, 1));
        var two = on("a", pod("two", 1, 1));
        index.put(one);
        index.put(two);
        index.put(inPhase("Succeeded", one));
        assertThat(index.get("a").free().gpus()).isEqualTo(3);

        index.remove(two);
        index.remove(two);
        assertThat(index.get("a").free()).isEqualTo(index.get("a").shape().allocatable());
    }

    @Test
    void ignoresPodsWithoutANode() {
        var index = index(node("a", 24, 4));
        index.put(pod("waiting", 1, 1));

        assertThat(index.get("a").free().gpus()).isEqualTo(4);
    }

    @Test
    void movesAPodThatWasMadeAnewUnderItsName() {
        var index = index(node("a", 24, 4), node("b", 24, 4));
        index.put(on("a", pod("worker-0", 1, 1)));
        index.put(on("b", pod("worker-0", 1, 2)));

        assertThat(index.get("a").free().gpus()).isEqualTo(4);
        assertThat(index.get("b").free().gpus()).isEqualTo(2);
    }

    @Test
    void findsPoolsAnewWhenTheConfigurationChanges() {
        var index = new NodeIndex();
        index.put(node("a", "heavy-spot", 24, 0));
        assertThat(index.get("a").pool()).isEmpty();
        assertThat(index.get("a").isGpuNode()).isFalse();

        index.configure(Cluster.CATALOGUE);
        assertThat(index.get("a").pool()).map(pool -> pool.name()).contains("heavy-spot");
        assertThat(index.get("a").isGpuNode()).isTrue();

        index.configure(Catalogue.EMPTY);
        assertThat(index.get("a").pool()).isEmpty();
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

        assertThat(index.get("a").free().gpus()).isEqualTo(3);
    }
}
