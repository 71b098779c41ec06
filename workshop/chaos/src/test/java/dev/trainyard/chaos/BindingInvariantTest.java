package dev.trainyard.chaos;

import static dev.trainyard.chaos.Scene.breaks;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.provider.ProviderException;
import dev.trainyard.simulation.cluster.SmallWorld;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that bindings can violate invariants. The tests bind pods where no extender would. */
class BindingInvariantTest {

    @Test
    void aPodGetsAMachineThatIsBeingRemoved() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        scene.pod("at-once", null, Map.of());
        scene.pod("later", null, Map.of());
        scene.pod("afterwards", null, Map.of());

        scene.cordon(node, Removal.Reason.IDLE, scene.now());
        scene.bind("at-once", node); // one second after the cordon
        breaks("no pod is placed on a machine that is being removed", () -> scene.bind("later", node));

        scene.uncordon(node);
        scene.bind("afterwards", node);
    }

    @Test
    void aPodGetsAMachineOfAPoolThatItsTierDoesNotName() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        var node = scene.machine();
        var other = SmallWorld.pool("other", "on-demand", 1, "1");
        scene.world().server().pools().create(other);
        scene.world().server().tiers().create(SmallWorld.tier("other", "other"));
        scene.pod("of-the-tier", null, Map.of(Names.TIER, "gpu"));
        scene.pod("of-none", null, Map.of());
        scene.pod("of-another", null, Map.of(Names.TIER, "other"));

        scene.bind("of-the-tier", node);
        scene.bind("of-none", node);
        breaks("pods run on machines of their tier", () -> scene.bind("of-another", node));
    }
}
