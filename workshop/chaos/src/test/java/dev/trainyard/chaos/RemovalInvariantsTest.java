package dev.trainyard.chaos;

import static dev.trainyard.chaos.Scene.breaks;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.observe.Cordon;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.provider.ProviderException;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that wrong removals are detected, in a cluster without a scaler. */
class RemovalInvariantsTest {

    @Test
    void aPodIsAskedToLeaveThatMustNotBeInterrupted() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.pod("may", node, Map.of());
        scene.pod("must-not", node, Map.of(Names.DO_NOT_DISRUPT, "true"));

        scene.invariants().evicts(scene.asked("may"));
        breaks(
                "no pod is interrupted against the rules",
                () -> scene.invariants().evicts(scene.asked("must-not")));
    }

    @Test
    void aPodIsMovedWithWhichItsGangWouldStop() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.pod("member", node, Map.of(Names.GANG, "llm", Names.GANG_SIZE, "3"));
        scene.invariants().evicts(scene.asked("member"));

        scene.cordon(node, Removal.Reason.UNDER_UTILIZED, scene.now());
        breaks(
                "no pod is interrupted against the rules",
                () -> scene.invariants().evicts(scene.asked("member")));
    }

    @Test
    void aTrainingIsMovedThatNothingSaysCanBeResumed() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.pod("plain", node, Map.of());
        scene.invariants().evicts(scene.asked("plain"));

        scene.cordon(node, Removal.Reason.UNDER_UTILIZED, scene.now());
        breaks(
                "no pod is interrupted against the rules",
                () -> scene.invariants().evicts(scene.asked("plain")));
    }

    @Test
    void aPodIsMovedThatHasJustCome() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.pod("new", null, Map.of(Names.RESUMABLE, "true"));
        scene.bind("new", node);
        scene.cordon(node, Removal.Reason.UNDER_UTILIZED, scene.now().plusSeconds(60));

        breaks("nothing is removed too soon", () -> scene.invariants().evicts(scene.asked("new")));
    }

    @Test
    void aMachineGoesOnWhichAPodRuns() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.cordon(node, Removal.Reason.IDLE, scene.now());
        scene.invariants().terminates(scene.pool(), node);

        scene.pod("runs", node, Map.of());
        scene.pass(Duration.ofSeconds(10));

        breaks(
                "no pod is interrupted against the rules",
                () -> scene.invariants().terminates(scene.pool(), node));
    }

    @Test
    void aMachineGoesOnWhichAPodStillHasTimeToEnd() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.pod("ends", node, Map.of());
        scene.pass(Duration.ofSeconds(10));
        scene.cordon(node, Removal.Reason.UNDER_UTILIZED, scene.now());
        scene.world().evictions().delete("team/ends");

        breaks(
                "no pod is interrupted against the rules",
                () -> scene.invariants().terminates(scene.pool(), node));
        scene.pass(Duration.ofSeconds(10));
        scene.invariants().terminates(scene.pool(), node);
    }

    /**
     * The node counts as lost after 40 s. Its pods are evicted 5 minutes later, have a grace period of 30 s, and count as lost after
     * another minute.
     */
    @Test
    void aMachineGoesThatHangsWithAPodThatWasNotToBeInterrupted() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.pod("must-not", node, Map.of(Names.DO_NOT_DISRUPT, "true"));
        scene.pod("may", node, Map.of());
        scene.pass(Duration.ofSeconds(10));
        scene.cordon(node, Removal.Reason.DEAD, scene.now());
        scene.world().hang(node);

        scene.pass(Duration.ofMinutes(2));
        breaks(
                "no pod is interrupted against the rules",
                () -> scene.invariants().terminates(scene.pool(), node));
        scene.pass(Duration.ofMinutes(4));
        breaks(
                "no pod is interrupted against the rules",
                () -> scene.invariants().terminates(scene.pool(), node));
        scene.pass(Duration.ofMinutes(2));
        scene.invariants().terminates(scene.pool(), node);
    }

    @Test
    void aMachineGoesThatSomebodyElseCordoned() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.cordonBySomebodyElse(node);
        scene.pass(Duration.ofMinutes(4));

        breaks("nodes that operators hold stay", () -> scene.invariants().terminates(scene.pool(), node));
    }

    @Test
    void aNodeIsUncordonedThatSomebodyElseCordonedDuringItsRemoval() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.cordon(node, Removal.Reason.IDLE, scene.now());
        scene.cordonBySomebodyElse(node);
        scene.uncordon(node);
        scene.pass(Duration.ofSeconds(1));
        scene.cordon(node, Removal.Reason.IDLE, scene.now());
        scene.world()
                .server()
                .nodes()
                .change(
                        node,
                        null,
                        before -> new NodeBuilder(Cordon.lift(before))
                                .editSpec()
                                .withUnschedulable(null)
                                .endSpec()
                                .build());

        breaks("nodes that operators hold stay", () -> scene.pass(Duration.ofSeconds(1)));
    }

    @Test
    void aMachineGoesAsIdleOnWhichAPodWasAMomentAgo() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.pod("was", null, Map.of());
        scene.bind("was", node);
        scene.pass(Duration.ofMinutes(10));
        scene.world().server().pods().remove("team/was");
        scene.pass(Duration.ofSeconds(1));
        scene.cordon(node, Removal.Reason.IDLE, scene.now().plusSeconds(60));

        breaks("nothing is removed too soon", () -> scene.invariants().terminates(scene.pool(), node));
    }

    @Test
    void aNodeIsDeletedWhoseMachineRuns() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();

        breaks("nodes that operators hold stay", () -> scene.invariants().deletes(node));
    }

    @Test
    void anIdleMachineMayGoOnceItsNodeHasBeenCordonedForADay() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.cordonBySomebodyElse(node);
        scene.pass(Duration.ofHours(25));
        scene.cordon(node, Removal.Reason.LEFT_CORDONED, scene.now());
        scene.pass(Duration.ofSeconds(1));
        scene.invariants().terminates(scene.pool(), node);

        scene.pod("may", node, Map.of());
        breaks("nodes that operators hold stay", () -> scene.invariants().evicts(scene.asked("may")));
    }

    @ParameterizedTest
    @CsvSource({"PT10M, IDLE, ", "PT23H, LEFT_CORDONED, ", "PT25H, IDLE, ", "PT25H, LEFT_CORDONED, runs"})
    void aMachineIsToBeRemovedThatSomebodyElseCordoned(Duration before, Removal.Reason reason, @Nullable String pod)
            throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.cordonBySomebodyElse(node);
        scene.pass(before);
        if (pod != null) {
            scene.pod(pod, node, Map.of());
        }
        scene.cordon(node, reason, scene.now());

        breaks("nodes that operators hold stay", () -> scene.pass(Duration.ofSeconds(1)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"trainyard.dev/do-not-disrupt", "openai/detached"})
    void aMachineIsToBeRemovedThatAnOperatorMarked(String mark) throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.mark(node, mark);
        scene.pass(Duration.ofSeconds(1));
        scene.cordon(node, Removal.Reason.IDLE, scene.now());

        breaks("nodes that operators hold stay", () -> scene.pass(Duration.ofSeconds(1)));
    }

    /** Right after the mark, the action may have been irreversible. A few minutes later it was not. */
    @Test
    void aMachineGoesThatAnOperatorMarked() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.pod("may", node, Map.of(Names.RESUMABLE, "true"));
        scene.cordon(node, Removal.Reason.UNDER_UTILIZED, scene.now());
        scene.mark(node, Names.DO_NOT_DISRUPT);
        scene.pass(Duration.ofMinutes(1));
        scene.invariants().evicts(scene.asked("may"));

        scene.pass(Duration.ofMinutes(3));

        breaks("nodes that operators hold stay", () -> scene.invariants().evicts(scene.asked("may")));
        breaks("nodes that operators hold stay", () -> scene.invariants().terminates(scene.pool(), node));
        breaks("nodes that operators hold stay", () -> scene.invariants().deletes(node));
    }
}
