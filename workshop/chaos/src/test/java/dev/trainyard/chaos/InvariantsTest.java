package dev.trainyard.chaos;

import static dev.trainyard.chaos.Scene.breaks;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.provider.ProviderException;
import dev.trainyard.scaler.report.EventReporter;
import dev.trainyard.simulation.api.ApiException;
import dev.trainyard.simulation.cluster.Disturbance;
import dev.trainyard.simulation.cluster.Interference;
import dev.trainyard.simulation.cluster.Replica;
import dev.trainyard.simulation.cluster.SmallWorld;
import dev.trainyard.simulation.fault.ActivityLog;
import dev.trainyard.simulation.fault.Fault;
import dev.trainyard.simulation.fault.FaultInjector;
import dev.trainyard.simulation.fault.MalformedObjects;
import dev.trainyard.simulation.time.Chance;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that violations of invariants are detected. {@link RemovalInvariantsTest} covers removals. */
class InvariantsTest {

    @Test
    void aPoolAboveItsMaximum() {
        var scene = Scene.withoutScaler(0);

        breaks("size", () -> scene.invariants().grows(scene.pool(), 3, 4));
    }

    @Test
    void moreMachinesThanPodsWait() {
        var scene = Scene.withoutScaler(0);
        scene.pod("waits", null, Map.of());

        scene.invariants().grows(scene.pool(), 0, 1);
        breaks("no more machines than needed", () -> scene.invariants().grows(scene.pool(), 0, 2));
    }

    @Test
    void machinesForPodsThatNoMachineIsFor() {
        var scene = Scene.withoutScaler(0);
        var pool = scene.pool(); // the pool becomes invalid below
        var malformed = new MalformedObjects(scene.world(), new Chance(1), new ActivityLog(scene.time()));
        for (int i = 0; i < 20; i++) {
            malformed.make();
        }

        assertThat(scene.world().server().pods().all()).isNotEmpty().allMatch(MalformedObjects::isOdd);
        breaks("no more machines than needed", () -> scene.invariants().grows(pool, 0, 1));
    }

    @Test
    void ordersThatFailOverAndOver() {
        var scene = Scene.withoutScaler(0);

        breaks("a failing pool gets few requests", () -> {
            for (int i = 0; i < 100; i++) {
                scene.invariants().fails(scene.pool());
                scene.pass(Duration.ofSeconds(10));
            }
        });
    }

    @Test
    void failuresOfOneWaveCountOnce() {
        var scene = Scene.withoutScaler(0);

        assertThatCode(() -> {
                    for (int i = 0; i < 100; i++) {
                        scene.invariants().fails(scene.pool());
                    }
                })
                .doesNotThrowAnyException();
    }

    @Test
    void somethingIsLeft() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        scene.invariants().settled();
        scene.machine();

        breaks("no surplus machine is left", scene.invariants()::settled);
    }

    @Test
    void aSpareMachineMayBeAskedForWhateverElseIsToComeUnlessOneIsIdle() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var pools = scene.world().server().pools();
        pools.remove("gpu");
        pools.create(SmallWorld.pool("gpu", "on-demand", 3, "1", "spare: 1"));
        pools.create(SmallWorld.pool("other", "on-demand", 3, "1"));
        scene.world().server().tiers().remove("gpu");
        scene.world().server().tiers().create(SmallWorld.tier("gpu", "gpu", "other"));
        var node = scene.machine();
        scene.pod("runs", null, Map.of(Names.TIER, "gpu"), "4");
        scene.bind("runs", node);
        scene.pass(Duration.ofMinutes(4));
        scene.world().cloud().grow(scene.world().catalogue().pools().get("other"), 0, 1);

        scene.invariants().grows(scene.pool(), 1, 2);
        breaks("no more machines than needed", () -> scene.invariants().grows(scene.pool(), 1, 3));
        scene.world().server().pods().remove("team/runs");
        scene.pass(Duration.ofMinutes(4));
        scene.world().cloud().grow(scene.world().catalogue().pools().get("other"), 1, 2);
        breaks("no more machines than needed", () -> scene.invariants().grows(scene.pool(), 1, 2));

        scene.cordonBySomebodyElse(node);
        scene.invariants().grows(scene.pool(), 1, 2);
    }

    @Test
    void podsOfOneTierAreNoReasonToBuyForAnother() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        scene.world().server().pools().create(SmallWorld.pool("other", "on-demand", 3, "1"));
        scene.world().server().tiers().create(SmallWorld.tier("others", "other"));
        scene.pod("waits", null, Map.of(Names.TIER, "gpu"), "4");
        var other = scene.world().catalogue().pools().get("other");
        breaks("no more machines than needed", () -> scene.invariants().grows(other, 0, 1));

        scene.world().cloud().grow(other, 0, 1);
        scene.invariants().grows(scene.pool(), 0, 1);
    }

    /** Machines have four GPUs, so the first job fits no machine. */
    @Test
    void aJobWaitsStillThatCouldRun() {
        var minute = Duration.ofMinutes(1);
        var scene = Scene.withoutScaler(0);
        scene.world().create(SmallWorld.job("could-not", 5, Duration.ZERO, minute));
        scene.pass(minute);
        scene.invariants().settled();

        scene.world().create(SmallWorld.job("could", 4, Duration.ZERO, minute));
        scene.pass(minute);
        breaks("every workload ends", scene.invariants()::settled);
    }

    @Test
    void aPoolIsSmallerThanItsMinimum() throws ProviderException {
        var scene = Scene.withoutScaler(1);
        breaks("size", scene.invariants()::settled);

        var node = scene.machine();
        scene.invariants().settled();

        scene.world().hang(node);
        breaks("size", scene.invariants()::settled);
    }

    @Test
    void aNodeIsLeftWithoutAMachine() {
        var scene = Scene.withoutScaler(0);
        scene.world()
                .server()
                .nodes()
                .create(new NodeBuilder()
                        .withNewMetadata()
                        .withName("lonely")
                        .endMetadata()
                        .withNewSpec()
                        .endSpec()
                        .withNewStatus()
                        .endStatus()
                        .build());

        breaks("no orphans", scene.invariants()::settled);
    }

    @Test
    void somethingIsWrittenWhileNothingHappens() throws ProviderException {
        var time = new VirtualTime(SmallWorld.START);
        var injector = new FaultInjector(EnumSet.noneOf(Fault.class), 1, time, new ActivityLog(time));
        var scene = Scene.disturbed(2, time, injector);

        scene.world().cloud().grow(scene.pool(), 0, 2);
        scene.world().cloud().withdraw(scene.pool(), 2, 1);

        var writes = injector.takeWrites();
        assertThat(writes).containsExactly("grow gpu", "withdraw gpu");
        assertThat(injector.takeWrites()).isEmpty();
        breaks("quiet", () -> scene.invariants().quiet(writes));
    }

    @Test
    void aPodThatWaitsHasNoReason() {
        var rounds = new ArrayList<Round.Result>();
        var scene = Scene.disturbed(0, new Disturbance() {
            @Override
            public void ended(Round.Result round) {
                rounds.add(round);
            }
        });
        scene.pod("waits", null, Map.of());
        scene.pass(Duration.ofMinutes(1));
        var last = rounds.get(rounds.size() - 1);
        var silent = new Plan(List.of(), List.of(), Map.of(), Set.of());

        scene.invariants().ended(last);
        breaks(
                "each pending pod has one reason",
                () -> scene.invariants()
                        .ended(new Round.Result(last.snapshot(), silent, last.verdicts(), last.next(), List.of())));
    }

    @Test
    void aPodThatWaitsIsNotHeardOfForLong() {
        var rounds = new ArrayList<Round.Result>();
        var scene = Scene.disturbed(0, new Disturbance() {
            @Override
            public void ended(Round.Result round) {
                rounds.add(round);
            }
        });
        scene.pass(Duration.ofSeconds(30));
        var empty = rounds.get(rounds.size() - 1);
        scene.pod("waits", null, Map.of());
        scene.pass(Duration.ofMinutes(3));
        scene.invariants().ended(empty);

        scene.pass(Duration.ofSeconds(30));
        breaks("each pending pod has one reason", () -> scene.invariants().ended(empty));
        scene.world().server().pods().remove("team/waits");
        scene.pass(Duration.ofSeconds(1));
        scene.invariants().ended(empty);
    }

    @Test
    void aRoundThatTheApiServerRefusedIsNoneThatFailsByItself() {
        var failed = new ArrayList<RuntimeException>();
        var scene = Scene.disturbed(1, new Failing(new ApiException(ApiException.UNAVAILABLE, "not now"), failed));
        scene.pod("waits", null, Map.of());
        scene.pass(Duration.ofMinutes(1));

        assertThat(failed).isEmpty();
    }

    @Test
    void aRoundFailsByItself() {
        var failed = new ArrayList<RuntimeException>();
        var scene = Scene.disturbed(1, new Failing(new IllegalStateException("a number was expected"), failed));
        scene.pod("waits", null, Map.of());
        scene.pass(Duration.ofMinutes(1));

        assertThat(failed).isNotEmpty();
        breaks("rounds do not fail", () -> scene.invariants().failed(failed.get(0)));
    }

    @Test
    void aStepOfARoundFailsByItself() throws ProviderException {
        var failed = new ArrayList<RuntimeException>();
        var scene = Scene.disturbed(0, new Stumbling(new IllegalStateException("a number was expected"), failed));
        scene.machine();

        assertThat(failed).isNotEmpty().allMatch(IllegalStateException.class::isInstance);
    }

    @Test
    void aStepThatTheApiServerRefusedIsNoneThatFailsByItself() throws ProviderException {
        var failed = new ArrayList<RuntimeException>();
        var scene = Scene.disturbed(0, new Stumbling(new ApiException(ApiException.CONFLICT, "not now"), failed));
        scene.machine();

        assertThat(failed).isEmpty();
    }

    /** Faults that make each annotation of a node fail. */
    private record Stumbling(RuntimeException problem, List<RuntimeException> failed) implements Disturbance {
        @Override
        public int replicas() {
            return 1;
        }

        @Override
        public Interference interference(Replica replica) {
            return new Interference() {
                @Override
                public void beforeRequest(String request) {
                    if (request.startsWith("annotate")) {
                        throw problem;
                    }
                }
            };
        }

        @Override
        public void failed(RuntimeException step) {
            failed.add(step);
        }
    }

    /** Faults that make each Event of the scaler fail. */
    private record Failing(RuntimeException problem, List<RuntimeException> failed) implements Disturbance {
        @Override
        public EventReporter eventReporter() {
            return (about, type, reason, action, message) -> {
                throw problem;
            };
        }

        @Override
        public void failed(RuntimeException round) {
            failed.add(round);
        }
    }
}
