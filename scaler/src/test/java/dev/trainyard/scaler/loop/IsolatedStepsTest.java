package dev.trainyard.scaler.loop;

import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.scaler.Logged;
import dev.trainyard.scaler.ScalerFixture;
import dev.trainyard.scaler.calls.NotLeading;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** If a step for one object fails, the rest of the round is still carried out. */
class IsolatedStepsTest {

    private final ScalerFixture world =
            new ScalerFixture().pool("light-spot", spot(1).idleAfter("10s")).tier("light-gpu", "light-spot");

    /** Lets two machines be idle for so long that the next round cordons both. */
    @BeforeEach
    void idle() {
        world.waiting(2, "train", "light-gpu", "nvidia.com/gpu", "1");
        world.seconds(32);
        world.finishAllJobs();
        world.seconds(10);
        assertThat(world.cluster.changes).noneMatch(change -> change.startsWith("cordon"));
        world.clock.move(Duration.ofSeconds(1));
    }

    @Test
    void aMistakeStopsNoOtherStepAndIsToldWithItsTrace() {
        try (var logged = new Logged()) {
            var mistake = new IllegalStateException("a number was expected");
            failOnce(mistake);

            assertThat(world.round().mistakes()).containsExactly(mistake);
            assertThat(world.cluster.changes)
                    .contains("cordon light-spot-0002")
                    .doesNotContain("cordon light-spot-0001");
            assertThat(failedRounds()).isEqualTo(1);
            assertThat(logged.lines())
                    .contains("Cordon of node light-spot-0001 failed because of a bug in the scaler; "
                            + "the next round tries again: java.lang.IllegalStateException: a number was expected");

            assertThat(world.round().mistakes()).isEmpty();
            assertThat(world.cluster.changes).contains("cordon light-spot-0001");
            assertThat(failedRounds()).isEqualTo(1);
        }
    }

    @Test
    void aRefusalIsNoMistake() {
        failOnce(new KubernetesClientException("the object has been modified", 409, null));

        assertThat(world.round().mistakes()).isEmpty();
        assertThat(world.cluster.changes).contains("cordon light-spot-0002").doesNotContain("cordon light-spot-0001");
        assertThat(failedRounds()).isZero();
    }

    @Test
    void noStepIsDoneAfterOneThatWasNotSinceAnotherScalerLeads() {
        failOnce(new NotLeading("another leads"));

        assertThatThrownBy(world::round).isInstanceOf(NotLeading.class);
        assertThat(world.cluster.changes).noneMatch(change -> change.startsWith("cordon"));
        assertThat(failedRounds()).isZero();
    }

    private void failOnce(RuntimeException problem) {
        world.cluster.interruptWith(() -> {
            world.cluster.interruptWith(() -> {});
            throw problem;
        });
    }

    private double failedRounds() {
        return world.meters.get("trainyard.scaler.rounds.failed").counter().count();
    }
}
