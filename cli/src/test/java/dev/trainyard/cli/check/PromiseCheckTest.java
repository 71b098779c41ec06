package dev.trainyard.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.cli.check.Finding.Level;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of differences from the promise that pass while a machine starts, and of permanent ones. */
class PromiseCheckTest {

    private static final Instant NOW = CheckFixture.NOW;

    private final CheckFixture world = new CheckFixture();

    @ParameterizedTest
    @MethodSource("start")
    void whatComesAfterTheStartIsOnlyNotedOfAMachineThatStartedLately(String change, String words) {
        world.nodes.set(0, CheckFixture.node("a", change));
        assertThat(world.trouble().level()).as("of an old one").isGreaterThan(Level.NOTE);

        created(NOW.minusSeconds(600));
        assertThat(world.trouble().level()).isEqualTo(Level.NOTE);
        assertThat(world.trouble().seen()).isEqualTo(words + "; affected nodes of pool spot: 1 (a)");
        assertThat(world.trouble().todo()).isEqualTo("wait: the node started recently");

        created(NOW.minusSeconds(901));
        assertThat(world.trouble().level()).isGreaterThan(Level.NOTE);
        ready(NOW.minusSeconds(600));
        assertThat(world.trouble().level()).as("started again").isEqualTo(Level.NOTE);
    }

    static Stream<Arguments> start() {
        return Stream.of(
                Arguments.of("nvidia.com/gpu: \"1\", -> ", "the node does not report all GPUs yet"),
                Arguments.of("gpu: \"true\"}\nspec -> other: x}\nspec", "a promised label is not set yet"),
                Arguments.of(
                        "taints: [ -> taints: [{key: node.cilium.io/agent-not-ready, effect: NoSchedule}, ",
                        "the node has a taint that is not promised; the taint may disappear after the start of the machine"),
                Arguments.of("{key: gpu, value: \"true\", effect: NoSchedule} -> ", "a promised taint is not set yet"));
    }

    @Test
    void whatAMachineHasFromItsStartIsHeldAgainstThePromiseAtOnce() {
        world.nodes.set(0, CheckFixture.node("a", "16Gi -> 12Gi"));
        created(NOW.minusSeconds(60));
        assertThat(world.trouble().toString())
                .startsWith("warning  promises: the node has less than promised")
                .contains("(Node a status.allocatable[memory] = 12Gi, expected 16Gi); fix spec.promise of the pool");
    }

    private Node node() {
        return world.nodes.get(0);
    }

    private void created(Instant at) {
        node().getMetadata().setCreationTimestamp(at.toString());
    }

    private void ready(Instant at) {
        node().getStatus().getConditions().get(0).setLastTransitionTime(at.toString());
    }
}
