package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.Names;
import dev.trainyard.workshop.cluster.InstalledComponent;
import dev.trainyard.workshop.cluster.TestCluster;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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

    /**
     * Kills the scaler when the test has seen this many changes of pods by which a gang of eight starts: eight reservations of room, then
     * eight removals of gates.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 6, 9, 12})
    void killedWhileAGangStartsItLetsTheRestFollow(int changes, TestCluster testCluster, TrainingGround ground) {
        var seen = new AtomicInteger();
        var names = List.of("one", "two");
        try (var story = new StoryPools(testCluster, ground)
                        .pool("whole-killed", "spot", "", WholeGangsIT.ONE_GPU, "max: " + WholeGangsIT.ROOM)
                        .tierOfWholeGangs("whole-killed", "whole-killed");
                var observed = ObservedGangs.of(testCluster, ground, pod -> {
                    if (isStarting(pod) && seen.incrementAndGet() == changes) {
                        testCluster.kill(InstalledComponent.SCALER);
                    }
                })) {
            long before = story.ordered("whole-killed");
            ground.kubectl("create", "-f", WholeGangsIT.gangs(ground, "whole-killed", "2s", names));
            TrainingGround.awaitTrue("the scaler is killed", () -> !testCluster.isRunning(InstalledComponent.SCALER));
            testCluster.start(InstalledComponent.SCALER);

            for (var name : names) {
                ground.awaitSucceeded(name, WholeGangsIT.SIZE);
                var placement = observed.awaitPlaced(name, WholeGangsIT.SIZE);
                assertThat(placement.reserved())
                        .as("pods of gang %s with room when the first got a node", name)
                        .isEqualTo(WholeGangsIT.SIZE);
                assertThat(placement.placed()).isEqualTo(WholeGangsIT.SIZE);
            }
            assertThat(story.ordered("whole-killed") - before).isLessThanOrEqualTo(WholeGangsIT.ROOM);
        }
    }

    /** Whether room is reserved for a pod that has no node yet. */
    private static boolean isStarting(Pod pod) {
        return pod.getSpec().getNodeName() == null && pod.getStatus().getNominatedNodeName() != null;
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
