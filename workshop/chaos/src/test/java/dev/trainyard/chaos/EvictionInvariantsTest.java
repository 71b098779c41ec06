package dev.trainyard.chaos;

import static dev.trainyard.chaos.Scene.breaks;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.provider.ProviderException;
import dev.trainyard.simulation.api.ObjectStore;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that violations of disruption budgets are detected, in a cluster without a scaler. */
class EvictionInvariantsTest {

    private static final String KEPT_TO = "disruption budgets are respected";

    @Test
    void aMachineIsToBeEmptiedOfAPodThatItsBudgetHolds() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        budget(scene, 0);
        var node = scene.machine();
        running(scene, "a", node);
        scene.pass(Duration.ofMinutes(5));
        scene.cordon(node, Removal.Reason.UNDER_UTILIZED, scene.now());

        breaks(KEPT_TO, () -> scene.pass(Duration.ofSeconds(1)));
    }

    @Test
    void machinesAreToBeEmptiedTogetherOfMorePodsThanTheirBudgetAllows() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        budget(scene, 1);
        var one = scene.machine();
        var other = scene.machine();
        running(scene, "a", one);
        running(scene, "b", other);
        scene.pass(Duration.ofMinutes(5));
        scene.cordon(one, Removal.Reason.UNDER_UTILIZED, scene.now());
        scene.pass(Duration.ofSeconds(1));
        scene.cordon(other, Removal.Reason.UNDER_UTILIZED, scene.now());

        breaks(KEPT_TO, () -> scene.pass(Duration.ofSeconds(1)));
    }

    @Test
    void whatABudgetAllowedAMomentAgoIsNotHeldAgainstTheScaler() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        budget(scene, 1);
        var node = scene.machine();
        running(scene, "a", node);
        scene.pass(Duration.ofMinutes(5));
        allow(scene, 0);
        scene.pass(Duration.ofMinutes(2));
        scene.cordon(node, Removal.Reason.UNDER_UTILIZED, scene.now());
        scene.pass(Duration.ofSeconds(1));
        scene.uncordon(node);

        scene.pass(Duration.ofMinutes(2));
        scene.cordon(node, Removal.Reason.UNDER_UTILIZED, scene.now());

        breaks(KEPT_TO, () -> scene.pass(Duration.ofSeconds(1)));
    }

    @Test
    void aPodIsAskedToLeaveOverAndOverThatItsBudgetHolds() throws ProviderException {
        var scene = Scene.withoutScaler(0);
        budget(scene, 0);
        var node = scene.machine();
        running(scene, "a", node);

        for (int minutes = 0; minutes < 60; minutes += 2) {
            scene.invariants().evicts(scene.asked("a"));
            scene.pass(Duration.ofMinutes(2));
        }
        breaks("refused evictions are not repeated often", () -> {
            for (int asked = 0; asked < 30; asked++) {
                scene.invariants().evicts(scene.asked("a"));
                scene.pass(Duration.ofSeconds(10));
            }
        });
    }

    private static void budget(Scene scene, int allows) {
        var budgets = scene.world().server().budgets();
        budgets.create(new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withNamespace("team")
                .withName("few")
                .endMetadata()
                .withNewSpec()
                .withNewMaxUnavailable(allows)
                .withNewSelector()
                .addToMatchLabels("app", "few")
                .endSelector()
                .endSpec()
                .build());
        assertThat(budgets.all()).extracting(ObjectStore::key).containsExactly("team/few");
    }

    private static void allow(Scene scene, int pods) {
        scene.world()
                .server()
                .budgets()
                .change(
                        "team/few",
                        null,
                        before -> new PodDisruptionBudgetBuilder(before)
                                .editSpec()
                                .withNewMaxUnavailable(pods)
                                .endSpec()
                                .build());
    }

    private static void running(Scene scene, String name, String node) {
        scene.pod(name, null, Map.of());
        scene.world()
                .server()
                .pods()
                .change(
                        "team/" + name,
                        null,
                        before -> new PodBuilder(before)
                                .editMetadata()
                                .addToLabels("app", "few")
                                .endMetadata()
                                .build());
        scene.bind(name, node);
        scene.pass(Duration.ofSeconds(10));
    }
}
