package dev.trainyard.chaos;

import static dev.trainyard.chaos.Scene.breaks;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that too many machines for the pending pods are detected. Machines have four GPUs. */
class NeededMachinesTest {

    private static final String INVARIANT = "no more machines than needed";

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

    @Test
    void nothingForAPodBelowTheCutOff() {
        var scene = Scene.withoutScaler(0);
        waiting(scene, "a", "1");
        scene.priority("a", -11);
        breaks(INVARIANT, () -> scene.invariants().grows(scene.pool(), 0, 1));

        scene.priority("a", -10);
        scene.invariants().grows(scene.pool(), 0, 1);
    }

    @Test
    void nothingForAPodThatFitsNoMachineOfItsTier() {
        var scene = Scene.withoutScaler(0);
        waiting(scene, "a", "5");
        breaks(INVARIANT, () -> scene.invariants().grows(scene.pool(), 0, 1));
    }

    @Test
    void nothingForAGangUntilAllOfItIsThere() {
        var scene = Scene.withoutScaler(0);
        member(scene, "a", "4");
        member(scene, "b", "4");
        scene.pass(Duration.ofMinutes(10));
        breaks(INVARIANT, () -> scene.invariants().grows(scene.pool(), 0, 1));

        member(scene, "c", "4");
        scene.invariants().grows(scene.pool(), 0, 3);
    }

    @Test
    void aGangThatWasWholeAMomentAgoMayStillHaveMachines() {
        var scene = Scene.withoutScaler(0);
        List.of("a", "b", "c").forEach(name -> member(scene, name, "4"));
        scene.pass(Duration.ofMinutes(10));
        scene.world().server().pods().remove("team/c");
        scene.pass(Duration.ofMinutes(2));
        scene.invariants().grows(scene.pool(), 0, 3);

        scene.pass(Duration.ofMinutes(2));
        breaks(INVARIANT, () -> scene.invariants().grows(scene.pool(), 0, 1));
    }

    @Test
    void membersThatRunOrHaveSucceededAreThere() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        bound(scene);
        scene.change("b", pod -> pod.editStatus().withPhase("Succeeded").endStatus());
        scene.pass(Duration.ofMinutes(4));

        scene.invariants().grows(scene.pool(), 1, 2);
    }

    @Test
    void membersThatFailedAreNotThere() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        bound(scene);
        scene.change("b", pod -> pod.editStatus().withPhase("Failed").endStatus());
        scene.pass(Duration.ofMinutes(4));

        breaks(INVARIANT, () -> scene.invariants().grows(scene.pool(), 1, 2));
    }

    @Test
    void membersThatLeaveAreNotThere() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        bound(scene);
        var soon = scene.now().plusSeconds(600).toString();
        scene.change("a", pod -> pod.editMetadata().withDeletionTimestamp(soon).endMetadata());
        scene.pass(Duration.ofMinutes(4));

        breaks(INVARIANT, () -> scene.invariants().grows(scene.pool(), 1, 2));
    }

    /** Creates a gang whose first pod has a machine while the others wait. */
    private static void bound(Scene scene) throws ProviderException {
        var node = scene.machine();
        List.of("a", "b", "c").forEach(name -> member(scene, name, "4"));
        scene.bind("a", node);
    }

    @Test
    void nothingForAGangOfWhichAMemberFitsNoMachine() {
        var scene = Scene.withoutScaler(0);
        member(scene, "a", "4");
        member(scene, "b", "4");
        member(scene, "c", "5");
        breaks(INVARIANT, () -> scene.invariants().grows(scene.pool(), 0, 1));
    }

    /** Creates a member of a gang of three. */
    private static void member(Scene scene, String name, String gpus) {
        scene.pod(name, null, Map.of(Names.TIER, "gpu", Names.GANG, "llm", Names.GANG_SIZE, "3"), gpus);
        scene.pass(Duration.ofSeconds(1));
    }

    private static void waiting(Scene scene, String name, String gpus) {
        scene.pod(name, null, Map.of(Names.TIER, "gpu"), gpus);
    }
}
