package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.cli.yard.Part;
import dev.trainyard.cli.yard.Yard;
import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scaler may die at any moment: nothing is bought twice, nothing is left behind. */
@WithYard
class ScalerRestartIT {

    private static final int PODS = 40;

    /** Killed when so many of the burst's machines are there. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void killedInTheMiddleOfABurstItNeverBuysMoreThanTheBurstNeeds(int machines, Yard yard, TrainingGround ground) {
        Set<String> machinesEverSeen = ConcurrentHashMap.newKeySet();
        var watch = yard.client().nodes().withLabel(Names.POOL, "light-spot").watch(new Watcher<Node>() {
            @Override
            public void eventReceived(Action action, Node node) {
                machinesEverSeen.add(node.getMetadata().getName());
            }

            @Override
            public void onClose(WatcherException cause) {}
        });
        try (watch) {
            ground.kubectl("create", "-f", ground.job("burst", 1, PODS, ""));
            TrainingGround.awaitTrue("the scaler has asked for machines", () -> {
                var status = ground.pool("light-spot").getStatus();
                return status != null && status.target() != null && status.target() > 0;
            });
            TrainingGround.awaitTrue(
                    machines + " machines are there",
                    () -> ground.nodesOf("light-spot").size() >= machines);
            yard.kill(Part.SCALER);
            yard.start(Part.SCALER);

            TrainingGround.awaitTrue("all pods ran", () -> ground.placedPods().size() == PODS);
            ground.awaitPoolEmpty("light-spot");
        }
        // Fewer will do when early trainings end before late ones begin.
        assertThat(machinesEverSeen).hasSizeLessThanOrEqualTo(PODS);
    }

    @Test
    void killedWhileItRemovesMachinesItRemovesThemAllTheSame(Yard yard, TrainingGround ground) {
        ground.kubectl("create", "-f", ground.job("few", 1, 3, ""));
        TrainingGround.awaitTrue("all pods ran", () -> ground.placedPods().size() == 3);
        TrainingGround.awaitTrue(
                "a machine is being removed",
                () -> ground.nodesOf("light-spot").stream()
                        .anyMatch(node -> Boolean.TRUE.equals(node.getSpec().getUnschedulable())));
        yard.kill(Part.SCALER);
        yard.start(Part.SCALER);
        ground.awaitPoolEmpty("light-spot");
    }
}
