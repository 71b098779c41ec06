package dev.trainyard.simulation.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.configuration.Catalogues;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KubeletsTest {

    private final VirtualTime time = new VirtualTime(SmallWorld.START);
    private final ApiServer server = new ApiServer(time);
    private final Kubelets kubelets = new Kubelets(time, server, Lag.USUAL, pod -> Optional.empty());

    @BeforeEach
    void machineJoins() {
        kubelets.join(pool(), "m", "kwok://m", Duration.ZERO);
        pass(Duration.ofMinutes(1));
        assertThat(isReady()).isTrue();
    }

    @Test
    void theNodeOfAMachineThatHangsStays() {
        kubelets.stop("m", false);
        pass(Duration.ofHours(1));
        assertThat(isReady()).isFalse();
    }

    @Test
    void theNodeOfAMachineThatIsGoneGoes() {
        kubelets.stop("m", true);
        pass(Duration.ofMinutes(1));
        assertThat(server.nodes().all()).isEmpty();
    }

    /** Spot machines are reclaimed even if they hang. */
    @Test
    void theNodeOfAMachineThatHangsGoesWithTheMachine() {
        kubelets.stop("m", false);
        pass(Duration.ofHours(1));
        kubelets.stop("m", true);
        pass(Duration.ofMinutes(1));
        assertThat(server.nodes().all()).isEmpty();
    }

    @ParameterizedTest(name = "preStop {0} s, grace period {1} s: {2} s")
    @CsvSource({"0, 30, 1", "60, 90, 61", "90, 90, 90", "600, 30, 30"})
    void aPodEndsAfterItsPreStopAndWithinItsGracePeriod(long preStop, long grace, int takes) {
        runs(preStop, grace);
        new Evictions(time, server).delete("team/train");
        pass(Duration.ofSeconds(takes).minusMillis(100));
        assertThat(server.pods().all()).hasSize(1);
        pass(Duration.ofMillis(200));
        assertThat(server.pods().all()).isEmpty();
    }

    private void runs(long preStop, long grace) {
        server.pods()
                .create(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace("team")
                        .withName("train")
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName("m")
                        .withTerminationGracePeriodSeconds(grace)
                        .addNewContainer()
                        .withName("main")
                        .withNewLifecycle()
                        .withNewPreStop()
                        .withNewSleep(preStop)
                        .endPreStop()
                        .endLifecycle()
                        .endContainer()
                        .endSpec()
                        .withNewStatus()
                        .endStatus()
                        .build());
        pass(Duration.ofSeconds(10));
    }

    private boolean isReady() {
        return server.nodes().get("m").map(Node::getStatus).stream()
                .flatMap(status -> status.getConditions().stream())
                .filter(condition -> condition.getType().equals("Ready"))
                .map(NodeCondition::getStatus)
                .anyMatch("True"::equals);
    }

    private void pass(Duration length) {
        time.passTo(time.nanos() + length.toNanos());
    }

    private static Pool pool() {
        return Objects.requireNonNull(
                Catalogues.of(List.of(SmallWorld.pool("p", "spot", 1, "1")), List.of(SmallWorld.tier("gpu", "p")))
                        .pools()
                        .get("p"));
    }
}
