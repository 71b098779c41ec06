package dev.trainyard.chaos;

import static dev.trainyard.chaos.Scene.breaks;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.scaler.provider.ProviderException;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that violations of the invariants of returns are detected. Only the test empties machines. */
class ReturnInvariantsTest {

    private static final String ROOM = "a return empties a machine only if usable spot machines have room for its pods";
    private static final String LIMIT = "no more pods return at the same time than their tier allows";
    private static final String ASKED = "only pods of tiers with returnToSpot return";
    private static final String NOTHING_LEFT = "an empty node has no mark of a return";
    private static final String TOO_SOON = "nothing is removed too soon";

    private static final Map<String, String> TIER = Map.of(Names.TIER, "gpu");

    private Scene scene = Scene.withSpotPool("returnToSpot: {after: 10m, atMost: 2}");

    @Test
    void machineIsEmptiedWithoutSpotMachine() throws ProviderException {
        var node = scene.machine();
        train("pod", node, "4");

        breaks(ROOM, () -> empty(node));
    }

    @Test
    void machineIsEmptiedAlthoughSpotMachinesAreFull() throws ProviderException {
        var node = scene.machine();
        train("other", scene.machine("spot"), "1");
        train("pod", node, "4");

        breaks(ROOM, () -> empty(node));
    }

    @Test
    void machineIsEmptiedOnceSpotMachinesHaveRoomForAllItsPods() throws ProviderException {
        var node = scene.machine();
        train("other", scene.machine("spot"), "1");
        scene.machine("spot");
        train("large", node, "3");
        train("small", node, "1");

        empty(node);
    }

    @Test
    void twoMachinesAreEmptiedForRoomOfOne() throws ProviderException {
        scene = Scene.withSpotPool("returnToSpot: {after: 10m, atMost: 3}");
        scene.machine("spot");
        var first = scene.machine();
        var second = scene.machine();
        train("one", first, "3");
        train("two", second, "3");
        empty(first);

        breaks(ROOM, () -> empty(second));
    }

    @Test
    void morePodsReturnThanTheTierAllows() throws ProviderException {
        scene.machine("spot");
        var node = scene.machine();
        train("one", node, "1");
        train("two", node, "1");
        train("three", node, "1");

        breaks(LIMIT, () -> empty(node));
    }

    @Test
    void podReturnsAlthoughItsTierDoesNotSaySo() throws ProviderException {
        scene = Scene.withSpotPool("gangsLeaveTogether: false");
        scene.machine("spot");
        var node = scene.machine();
        train("pod", node, "1");

        breaks(ASKED, () -> empty(node));
    }

    @Test
    void podReturnsTooSoon() throws ProviderException {
        scene.machine("spot");
        var node = scene.machine();
        train("pod", node, "1");
        empty(node);

        breaks(TOO_SOON, () -> scene.invariants().departures().evicts(scene.asked("pod")));
    }

    @Test
    void markOfAReturnIsLeftOnAnEmptyNode() throws ProviderException {
        var node = scene.machine();
        var returns = new ReturnInvariants(scene.world(), new AnnouncedNodes(scene.world()));
        returns.settled();
        scene.world()
                .server()
                .nodes()
                .change(
                        node,
                        null,
                        before -> new NodeBuilder(before)
                                .editMetadata()
                                .addToAnnotations(ScalerAnnotations.RETURN_TO_SPOT, "failed, 1, 2026-01-01T10:00:00Z")
                                .endMetadata()
                                .build());

        breaks(NOTHING_LEFT, returns::settled);
    }

    /** Binds a pod, and lets so much time pass that the scaler must know it. */
    private void train(String pod, String node, String gpus) {
        scene.pod(pod, null, TIER, gpus);
        scene.bind(pod, node);
        scene.pass(Duration.ofMinutes(4));
    }

    private void empty(String node) {
        scene.cordon(node, Removal.Reason.RETURN_TO_SPOT, scene.now());
        scene.pass(Duration.ofSeconds(1));
    }
}
