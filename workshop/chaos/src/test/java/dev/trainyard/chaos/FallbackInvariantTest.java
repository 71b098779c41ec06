package dev.trainyard.chaos;

import static dev.trainyard.chaos.Scene.breaks;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.provider.ProviderException;
import dev.trainyard.simulation.cloud.Behaviour;
import dev.trainyard.simulation.cluster.Disturbance;
import dev.trainyard.simulation.cluster.SimulatedComponent;
import dev.trainyard.simulation.cluster.SmallWorld;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.VirtualTime;
import dev.trainyard.simulation.workload.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Tests that an overlong wait for a pool without machines is detected. The tier's {@code fallbackAfter} is three minutes, and the tolerance
 * is two.
 */
class FallbackInvariantTest {

    private static final String INVARIANT = "no pod waits for a pool that is out of stock";
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final Snapshot READABLE = readable();

    private final VirtualTime time = new VirtualTime(SmallWorld.START);

    @Test
    void aPodWaitsForAPoolThatHasNothing() throws ProviderException {
        var scene = scene(0);
        var fallbacks = new FallbackInvariant(scene.world());

        rounds(scene, fallbacks, "first", TIMEOUT);
        breaks(INVARIANT, () -> rounds(scene, fallbacks, "first", Duration.ofSeconds(20)));
    }

    @Test
    void nobodyIsAskedToTurnAwayFromTheLastPoolOrFromAMachineThatIsBeingMade() throws ProviderException {
        var nothing = scene(0);
        rounds(nothing, new FallbackInvariant(nothing.world()), "last", TIMEOUT.multipliedBy(2));

        var made = scene(1);
        rounds(made, new FallbackInvariant(made.world()), "first", TIMEOUT.multipliedBy(2));
    }

    @Test
    void timeBeginsAgainWhenTheClockIsSetOrNobodyWasThere() throws ProviderException {
        var scene = scene(0);
        var fallbacks = new FallbackInvariant(scene.world());

        rounds(scene, fallbacks, "first", TIMEOUT);
        fallbacks.clockIsSet();
        rounds(scene, fallbacks, "first", TIMEOUT);
        scene.pass(Duration.ofMinutes(2));
        rounds(scene, fallbacks, "first", TIMEOUT);
        breaks(INVARIANT, () -> rounds(scene, fallbacks, "first", Duration.ofSeconds(20)));
    }

    /**
     * Returns a cluster with a pending pod and two pools, with one machine requested of each. The clouds have {@code stock} machines each,
     * report a shortage after an hour, and take an hour for a machine.
     */
    private Scene scene(int stock) throws ProviderException {
        var hour = Duration.ofHours(1);
        var silent = new Behaviour(
                Behaviour.Group.SCALE_SET,
                stock,
                hour,
                hour,
                hour,
                hour,
                hour,
                Optional.empty(),
                Duration.ZERO,
                false,
                Behaviour.Answers.PROMPT);
        var world = world(time, silent, new Disturbance() {
            @Override
            public boolean lacks(SimulatedComponent component) {
                return component == SimulatedComponent.SCALER;
            }
        });
        var scene = new Scene(time, new Invariants(world, pod -> false), world);
        scene.pod("waits", null, Map.of(Names.TIER, "gpu"), "1");
        for (var pool : world.catalogue().pools().values()) {
            world.cloud().grow(pool, 0, 1);
        }
        scene.pass(Duration.ofSeconds(10));
        return scene;
    }

    /** Reports to the invariant, every ten seconds, that the pod waits for a provisioning machine of the pool. */
    private static void rounds(Scene scene, FallbackInvariant fallbacks, String pool, Duration length) {
        var uid = scene.world()
                .server()
                .pods()
                .get("team/waits")
                .orElseThrow()
                .getMetadata()
                .getUid();
        var plan = new Plan(List.of(), List.of(), Map.of(uid, new Outcome.Upcoming(pool, "#1", "")), Set.of());
        for (long passed = 0; passed < length.toSeconds(); passed += 10) {
            fallbacks.ended(new Round.Result(READABLE, plan, List.of(), Optional.empty(), List.of()));
            scene.pass(Duration.ofSeconds(10));
        }
    }

    /** Returns a snapshot in which the states of both pools are known. */
    private static Snapshot readable() {
        var rounds = new ArrayList<Round.Result>();
        var world = world(new VirtualTime(SmallWorld.START), SmallWorld.QUICK, new Disturbance() {
            @Override
            public void ended(Round.Result round) {
                rounds.add(round);
            }
        });
        world.passTo(Duration.ofMinutes(1));
        return rounds.get(rounds.size() - 1).snapshot();
    }

    private static World world(VirtualTime time, Behaviour clouds, Disturbance disturbance) {
        return new World(
                new World.Setting(
                        SmallWorld.START,
                        List.of(SmallWorld.pool("first", "spot", 3, "1"), SmallWorld.pool("last", "on-demand", 3, "1")),
                        List.of(SmallWorld.tier("gpu", "first", "last")),
                        new Workload(List.of()),
                        of -> clouds,
                        Duration.ofSeconds(10),
                        Duration.ofSeconds(1),
                        1),
                time,
                disturbance);
    }
}
