package dev.trainyard.chaos;

import static dev.trainyard.chaos.Scene.breaks;

import dev.trainyard.core.Names;
import dev.trainyard.simulation.cluster.Disturbance;
import dev.trainyard.simulation.cluster.SimulatedComponent;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Tests the limit of machines that are tried for pods that the scheduler refuses everywhere. */
class RetryInvariantTest {

    private static final String INVARIANT = "machines that did not help are not requested again";

    private final Scene scene = Scene.disturbed(0, new Disturbance() {
        @Override
        public boolean lacks(SimulatedComponent component) {
            return component == SimulatedComponent.SCALER;
        }

        @Override
        public Optional<String> refuses(Pod pod) {
            return pod.getMetadata().getName().startsWith("odd")
                    ? Optional.of("node(s) are not to its taste")
                    : Optional.empty();
        }
    });

    @Test
    void twoMachinesMayBeTriedForEachPodAndNoMore() throws Exception {
        waiting("odd-1");
        var tries = tries(pod -> true);
        var first = scene.machine();
        var second = scene.machine();
        var third = scene.machine();

        tries.terminates(scene.pool(), first);
        tries.terminates(scene.pool(), second);
        breaks(INVARIANT, () -> tries.terminates(scene.pool(), third));
    }

    @Test
    void moreAreTriedAfterAWhile() throws Exception {
        waiting("odd-1");
        var tries = tries(pod -> true);
        var first = scene.machine();
        var second = scene.machine();
        var third = scene.machine();

        tries.terminates(scene.pool(), first);
        scene.pass(Duration.ofMinutes(30));
        tries.terminates(scene.pool(), second);
        tries.terminates(scene.pool(), third);
    }

    @Test
    void machinesThatMayHaveBeenForOthersDoNotCount() throws Exception {
        waiting("odd-1");
        scene.pod("other", null, Map.of(Names.TIER, "gpu"), "1");
        var tries = tries(pod -> pod.getMetadata().getName().startsWith("odd"));
        var used = scene.machine();
        var first = scene.machine();
        var second = scene.machine();
        var third = scene.machine();

        tries.terminates(scene.pool(), used);
        tries.terminates(scene.pool(), first);
        tries.terminates(scene.pool(), second);
        tries.terminates(scene.pool(), third);
    }

    @Test
    void aMachineThatSomebodyAskedForByHandDoesNotCount() throws Exception {
        waiting("odd-1");
        var tries = tries(pod -> true);
        tries.sizeIsSet(scene.pool().name());
        var first = scene.machine();
        var second = scene.machine();
        var third = scene.machine();

        tries.terminates(scene.pool(), first);
        tries.terminates(scene.pool(), second);
        tries.terminates(scene.pool(), third);
    }

    @Test
    void aMachineThatNoCallAskedForDoesNotCount() throws Exception {
        waiting("odd-1");
        var tries = tries(pod -> true);
        var first = scene.machine();
        var second = scene.machine();
        scene.world().resizeByHand("gpu", 1);
        scene.pass(Duration.ofMinutes(5));
        var third = scene.world().cloud().running("gpu").get(2);

        tries.terminates(scene.pool(), first);
        tries.terminates(scene.pool(), second);
        tries.terminates(scene.pool(), third);
    }

    private void waiting(String name) {
        scene.pod(name, null, Map.of(Names.TIER, "gpu"), "1");
    }

    private RetryInvariant tries(Predicate<Pod> refused) {
        var announced = new AnnouncedNodes(scene.world());
        return new RetryInvariant(
                scene.world(),
                new NeededMachines(scene.world(), announced, new LeavingGangs(scene.world(), announced), refused),
                refused);
    }
}
