package dev.trainyard.simulation.chaos;

import static dev.trainyard.simulation.chaos.Scene.breaks;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** That departures can break invariants: they are told of what must not be, in a cluster without a scaler. */
class DeparturesTest {

    @Test
    void aPodIsAskedToLeaveThatMustNotBeInterrupted() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.pod("may", node, Map.of());
        scene.pod("must-not", node, Map.of(Names.DO_NOT_DISRUPT, "true"));

        scene.invariants().evicts(scene.asked("may"));
        breaks("nothing is interrupted", () -> scene.invariants().evicts(scene.asked("must-not")));
    }

    @Test
    void aPodIsMovedThatHasJustCome() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.pod("new", null, Map.of());
        scene.bind("new", node);
        scene.cordon(node, Removal.Reason.UNDER_UTILIZED, scene.now().plusSeconds(60));

        breaks("nothing goes too soon", () -> scene.invariants().evicts(scene.asked("new")));
    }

    @Test
    void aMachineGoesOnWhichAPodRuns() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.cordon(node, Removal.Reason.IDLE, scene.now());
        scene.invariants().terminates(scene.pool(), node);

        scene.pod("runs", node, Map.of());
        scene.pass(Duration.ofSeconds(10));

        breaks("nothing is interrupted", () -> scene.invariants().terminates(scene.pool(), node));
    }

    @Test
    void aMachineGoesOnWhichAPodStillHasTimeToEnd() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.pod("ends", node, Map.of());
        scene.pass(Duration.ofSeconds(10));
        scene.cordon(node, Removal.Reason.UNDER_UTILIZED, scene.now());
        scene.world().evictions().delete("team/ends");

        breaks("nothing is interrupted", () -> scene.invariants().terminates(scene.pool(), node));
        scene.pass(Duration.ofSeconds(10));
        scene.invariants().terminates(scene.pool(), node);
    }

    /** The node is missed after 40 s, its pods are told to end 5 minutes later, have 30 s for it, and count as lost after another minute. */
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
        breaks("nothing is interrupted", () -> scene.invariants().terminates(scene.pool(), node));
        scene.pass(Duration.ofMinutes(4));
        breaks("nothing is interrupted", () -> scene.invariants().terminates(scene.pool(), node));
        scene.pass(Duration.ofMinutes(2));
        scene.invariants().terminates(scene.pool(), node);
    }

    @Test
    void aMachineGoesThatSomebodyElseCordoned() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.cordonBySomebodyElse(node);

        breaks("what is not ours stays", () -> scene.invariants().terminates(scene.pool(), node));
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

        breaks("nothing goes too soon", () -> scene.invariants().terminates(scene.pool(), node));
    }

    @Test
    void aNodeIsDeletedWhoseMachineRuns() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();

        breaks("what is not ours stays", () -> scene.invariants().deletes(node));
    }
}
