package dev.trainyard.simulation.chaos;

import static dev.trainyard.simulation.chaos.Scene.breaks;

import dev.trainyard.core.Names;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** That machines can be too many for the pods that wait: those of the scene have four GPUs. */
class WantedTest {

    private static final String INVARIANT = "no more than is wanted";

    @Test
    void aMachineForEachPodWherePodsShareOne() {
        var scene = Scene.withoutScaler(0);
        waiting(scene, "a", "1");
        waiting(scene, "b", "1");

        scene.invariants().grows(scene.pool(), 0, 1);
        breaks(INVARIANT, () -> scene.invariants().grows(scene.pool(), 0, 2));
    }

    @Test
    void podsThatTakeMoreThanHalfOfAMachineMayHaveOneEach() {
        var scene = Scene.withoutScaler(0);
        waiting(scene, "a", "3");
        waiting(scene, "b", "3");

        scene.invariants().grows(scene.pool(), 0, 2);
        breaks(INVARIANT, () -> scene.invariants().grows(scene.pool(), 0, 3));
    }

    @Test
    void podsOfWhichNobodyCanTellMayHaveOneEach() {
        var scene = Scene.withoutScaler(0);
        scene.pod("a", null, Map.of(), "1");
        scene.pod("b", null, Map.of(), "1");

        scene.invariants().grows(scene.pool(), 0, 2);
        breaks(INVARIANT, () -> scene.invariants().grows(scene.pool(), 0, 3));
    }

    @Test
    void aPodThatWaitedAMomentAgoMayStillHaveOne() {
        var scene = Scene.withoutScaler(0);
        waiting(scene, "a", "1");
        scene.world().server().pods().remove("team/a");
        scene.pass(Duration.ofMinutes(2));
        scene.invariants().grows(scene.pool(), 0, 1);

        scene.pass(Duration.ofMinutes(2));
        breaks(INVARIANT, () -> scene.invariants().grows(scene.pool(), 0, 1));
    }

    private static void waiting(Scene scene, String name, String gpus) {
        scene.pod(name, null, Map.of(Names.TIER, "gpu"), gpus);
    }
}
