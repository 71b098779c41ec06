package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.Names;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.TestCluster;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scaler may die at any moment: no request is repeated, and no machine is left behind. */
@WithTestCluster
@Tag("disruptive")
@ResourceLock(WithTestCluster.WHOLE)
class ScalerRestartIT {

    private static final int PODS = 40;

    /** Kills the scaler when this many of the burst's machines have joined. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void killedInTheMiddleOfABurstItNeverBuysMoreThanTheBurstNeeds(
            int machines, TestCluster testCluster, TrainingGround ground) {
        ground.awaitPoolEmpty("light-spot");
        long before = machinesEverOrdered(testCluster);
        ground.kubectl("create", "-f", ground.job("burst", 1, PODS, ""));
        TrainingGround.awaitTrue("the scaler has asked for machines", () -> machinesEverOrdered(testCluster) > before);
        TrainingGround.awaitTrue(
                machines + " machines are there",
                () -> ground.nodesOf("light-spot").size() >= machines);
        testCluster.kill(InstalledComponent.SCALER);
        testCluster.start(InstalledComponent.SCALER);

        TrainingGround.awaitTrue("all pods ran", () -> ground.placedPods().size() == PODS);
        ground.awaitPoolEmpty("light-spot");
        // Fewer machines are enough if early training ends before late pods start.
        assertThat(machinesEverOrdered(testCluster) - before).isLessThanOrEqualTo(PODS);
    }

    @Test
    void killedWhileItRemovesMachinesItRemovesThemAllTheSame(TestCluster testCluster, TrainingGround ground) {
        ground.kubectl("create", "-f", ground.job("few", 1, 3, ""));
        TrainingGround.awaitTrue("all pods ran", () -> ground.placedPods().size() == 3);
        TrainingGround.awaitTrue(
                "a machine is being removed",
                () -> ground.nodesOf("light-spot").stream()
                        .anyMatch(node -> node.getSpec().getTaints().stream()
                                .anyMatch(taint -> taint.getKey().equals(Names.REMOVING))));
        testCluster.kill(InstalledComponent.SCALER);
        testCluster.start(InstalledComponent.SCALER);
        ground.awaitPoolEmpty("light-spot");
    }

    /** Returns the simulated cloud's own count of requested machines. The pool has no stock-outs here. */
    private static long machinesEverOrdered(TestCluster testCluster) {
        var cloud = testCluster
                .client()
                .configMaps()
                .inNamespace(Names.NAMESPACE)
                .withName("kwok-cloud-light-spot")
                .get();
        try {
            return cloud == null
                    ? 0
                    : new ObjectMapper()
                            .readTree(cloud.getData().get("cloud.json"))
                            .path("ordered")
                            .asLong();
        } catch (JsonProcessingException e) {
            throw new AssertionError(e);
        }
    }
}
