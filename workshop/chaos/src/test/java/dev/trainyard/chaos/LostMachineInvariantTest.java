package dev.trainyard.chaos;

import static dev.trainyard.chaos.Scene.breaks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.provider.ProviderException;
import dev.trainyard.simulation.cluster.Disturbance;
import dev.trainyard.simulation.cluster.SimulatedComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a machine is detected that runs without a node for more than half an hour. Only the test removes machines. */
class LostMachineInvariantTest {

    private static final String INVARIANT = "machines without a node are given up";
    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final Duration LITTLE = Duration.ofSeconds(20);
    private static final Snapshot READABLE = readable();
    private static final Snapshot UNREADABLE =
            READABLE.with(READABLE.pools().get("gpu").unknown("the cloud answers HTTP status 500", READABLE.now(), 0));

    private Scene scene;
    private LostMachineInvariant lost;

    @BeforeEach
    void aMachineNeverJoins() throws ProviderException {
        scene = Scene.disturbed(0, new WithoutNodes() {
            @Override
            public boolean lacks(SimulatedComponent component) {
                return component == SimulatedComponent.SCALER;
            }
        });
        scene.world().cloud().grow(scene.pool(), 0, 1);
        scene.pass(Duration.ofMinutes(5));
        lost = new LostMachineInvariant(scene.world());
        assertThat(scene.world().cloud().running("gpu")).hasSize(1);
        assertThat(READABLE.pools().get("gpu").withoutNode()).hasSize(1);
    }

    @Test
    void aMachineIsNotGivenUp() {
        rounds(READABLE, LIMIT);
        breaks(INVARIANT, () -> rounds(READABLE, LITTLE));
    }

    @Test
    void timeGoesOnInRoundsThatCannotReadThePool() {
        rounds(READABLE, LITTLE);
        rounds(UNREADABLE, LIMIT.multipliedBy(2));
        breaks(INVARIANT, () -> rounds(READABLE, LITTLE));
    }

    @Test
    void timeBeginsAgainIfTheClockIsSetBackButNotIfItIsSetForward() {
        rounds(READABLE, LIMIT);
        lost.clockIsSet(Duration.ofHours(-1));
        rounds(READABLE, LIMIT);
        lost.clockIsSet(Duration.ofHours(1));
        breaks(INVARIANT, () -> rounds(READABLE, LITTLE));
    }

    /** Reports the snapshot to the invariant every ten seconds. */
    private void rounds(Snapshot snapshot, Duration length) {
        var plan = new Plan(List.of(), List.of(), Map.of(), Set.of());
        for (long passed = 0; passed < length.toSeconds(); passed += 10) {
            lost.ended(new Round.Result(snapshot, plan, List.of(), Optional.empty(), List.of()));
            scene.pass(Duration.ofSeconds(10));
        }
    }

    /** Returns a snapshot of a cluster with a machine whose node has not joined. */
    private static Snapshot readable() {
        var rounds = new ArrayList<Round.Result>();
        var scene = Scene.disturbed(1, new WithoutNodes() {
            @Override
            public void ended(Round.Result round) {
                rounds.add(round);
            }
        });
        scene.pass(Duration.ofMinutes(5));
        return rounds.get(rounds.size() - 1).snapshot();
    }

    private static class WithoutNodes implements Disturbance {
        @Override
        public boolean neverJoins(String machine) {
            return true;
        }
    }
}
