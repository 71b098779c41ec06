package dev.trainyard.workshop.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PoolGrowthTest {

    @Test
    void acceptsAnyNumberOfStepsUpToWhatIsNeeded() {
        var slow = new PoolGrowth(List.of(0, 20, 29, 39, 40, 0), List.of("a", "b"));

        assertThat(slow.requested()).isEqualTo(40);
        assertThat(slow.steps()).isEqualTo(4);
        assertThat(slow.excess(40)).isEmpty();
        assertThat(slow.excess(39).orElseThrow()).contains("40 machines for 39 pods");
    }

    @Test
    void countsMachinesThatWereRequestedWhileOthersLeft() {
        assertThat(new PoolGrowth(List.of(0, 30, 20, 40, 0), List.of()).requested())
                .isEqualTo(50);
    }

    @Test
    void refusesAMachineThatJoinedTwice() {
        assertThat(new PoolGrowth(List.of(0, 1, 0), List.of("a", "a"))
                        .excess(40)
                        .orElseThrow())
                .contains("[a]");
    }

    @Test
    void leavesOutWhatCameBefore() {
        var before = new PoolGrowth(List.of(0, 1, 0), List.of("a"));

        assertThat(new PoolGrowth(List.of(0, 1, 0, 40, 0), List.of("a", "b")).since(before))
                .isEqualTo(new PoolGrowth(List.of(0, 40, 0), List.of("b")));
    }

    /** The scaler labels a node only after it has joined, unless the cloud has set the label. */
    @Test
    void aMachineJoinsOnceItsPoolIsKnown() {
        var observer = new Observer(new Timeline(Clock.systemUTC(), happening -> {}));
        observer.nodeChanged(Optional.empty(), Optional.of(node(null)));
        assertThat(observer.growth("light").joined()).isEmpty();
        observer.nodeChanged(Optional.of(node(null)), Optional.of(node("light")));
        observer.nodeChanged(Optional.of(node("light")), Optional.of(node("light")));
        assertThat(observer.growth("light").joined()).containsExactly("a");
        observer.nodeChanged(Optional.of(node("light")), Optional.empty());
        observer.nodeChanged(Optional.empty(), Optional.of(node("light")));
        assertThat(observer.growth("light").joined()).containsExactly("a", "a");
    }

    private static Node node(String pool) {
        return new NodeBuilder()
                .withNewMetadata()
                .withName("a")
                .addToLabels("trainyard.dev/pool", pool)
                .endMetadata()
                .build();
    }
}
