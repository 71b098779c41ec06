package dev.trainyard.scaler.rules;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.ScalerFixture;
import dev.trainyard.scaler.provider.FailureKind;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Section 8 of the lessons from the autoscalers of 2017: the rules for removing machines. */
class LifecycleRulesTest {

    private final ScalerFixture world =
            new ScalerFixture().pool("p", spot(1).idleAfter("10m")).tier("t", "p");

    @Test
    void rule01_idlenessIsMeasuredFromTheEndOfTheLastTrainingAndOutlivesARestart() {
        burst(1);
        world.seconds(32 + 3600);
        world.finishAllJobs();
        world.seconds(300);
        assertThat(world.nodesOf("p"))
                .as("a machine that is old, and idle for five minutes")
                .isOne();
        world.restart();
        world.seconds(295);
        assertThat(world.cluster.changes).doesNotContain("cordon p-0001");
        world.seconds(10);
        assertThat(world.cluster.changes).contains("cordon p-0001");
    }

    @Test
    void rule01_aMachineThatIsADayOldIsNotYoungAgain() {
        burst(1);
        world.seconds(32);
        world.finishAllJobs();
        world.round();
        world.clock.move(Duration.ofDays(1).plusMinutes(5));
        world.round();
        assertThat(world.cluster.changes).contains("cordon p-0001");
    }

    @Test
    void rule02_aBurstOfIdleMachinesIsRemovedInPartsAndAltogether() {
        burst(29);
        world.seconds(32);
        world.finishAllJobs();
        world.seconds(601);
        assertThat(world.cloud.machines("p").size()).isBetween(19, 29);
        world.seconds(200);
        assertThat(world.cloud.machines("p")).isEmpty();
    }

    @Test
    void rule03_theMachineGoesBeforeTheNodeAndAFailedListingDeletesNothing() {
        burst(1);
        world.seconds(32);
        world.finishAllJobs();
        for (int i = 0; world.cloud.machines("p").size() > 0 && i < 700; i++) {
            world.second();
        }
        assertThat(world.cloud.calls).endsWith("terminate p [p-0001]");
        assertThat(world.nodesOf("p"))
                .as("until the cloud lists the machine no more")
                .isOne();
        world.cloud.unreadable.put("p", FailureKind.TRANSIENT);
        world.seconds(60);
        assertThat(world.cluster.changes).doesNotContain("delete p-0001");
        world.cloud.unreadable.clear();
        world.seconds(15);
        assertThat(world.cluster.changes).endsWith("delete p-0001").contains("delete p-0001");
    }

    @Test
    void rule04_podsLeaveThroughTheEvictionApiAndInTheirOwnTime() {
        little();
        change(
                "b-1",
                pod -> pod.editMetadata()
                        .addToLabels("app", "few")
                        .endMetadata()
                        .editSpec()
                        .withTerminationGracePeriodSeconds(120L)
                        .endSpec());
        world.cluster.evictions.budget("few", 0);
        world.seconds(30);
        assertThat(world.cluster.changes).as("while its budget forbids it").doesNotContain("cordon p-0002");

        world.cluster.evictions.budget("few", 1);
        world.seconds(60);
        assertThat(world.cluster.changes).contains("cordon p-0002", "evict team/b-1");
        assertThat(world.cluster.pods).as("in its grace period").containsKeys("b-1", "b-1-again");
        assertThat(world.cloud.machines("p")).hasSize(2);
        world.seconds(200);
        assertThat(world.cluster.pods.get("b-1-again").getSpec().getNodeName()).isEqualTo("p-0001");
        assertThat(world.cloud.machines("p").keySet()).containsExactly("p-0001");
        assertThat(world.cloud.everMade())
                .as("nothing was bought for what was moved")
                .isEqualTo(2);
    }

    @Test
    void rule17_neitherMinimumNorSpareIsEverUndercut() {
        var floors = new ScalerFixture()
                .pool("p", spot(1).idleAfter("10s").min(2).spare(3))
                .tier("t", "p");
        floors.waiting(8, "train", "t", "nvidia.com/gpu", "1");
        floors.seconds(40);
        floors.finishAllJobs();
        for (int i = 0; i < 200; i++) {
            floors.second();
            assertThat(floors.cluster.nodes.values().stream()
                            .filter(node -> node.getSpec().getTaints().isEmpty()))
                    .hasSizeGreaterThanOrEqualTo(3);
        }
        assertThat(floors.cloud.machines("p")).hasSize(3);
    }

    @Test
    void rule17_aMachineThatAnOperatorCordonedKeepsNoMinimum() {
        var floors =
                new ScalerFixture().pool("p", spot(1).idleAfter("10s").min(1)).tier("t", "p");
        floors.waiting(2, "train", "t", "nvidia.com/gpu", "1");
        floors.seconds(40);
        floors.cluster.nodes.computeIfPresent("p-0001", (name, node) -> cordoned(node));
        floors.finishAllJobs();
        floors.seconds(60);
        assertThat(floors.cloud.machines("p").keySet()).containsExactly("p-0001", "p-0002");
    }

    @Test
    void rule19_aCordonIsUndoneByWhoeverMadeIt() {
        burst(2);
        world.seconds(32);
        world.cluster.nodes.computeIfPresent("p-0001", (name, node) -> cordoned(node));
        world.finishAllJobs();
        world.seconds(602);
        assertThat(world.cluster.changes).contains("cordon p-0002");

        world.waiting(1, "next", "t", "nvidia.com/gpu", "1");
        world.seconds(2);
        assertThat(world.cluster.changes).as("our own is the first supply").contains("uncordon p-0002");
        assertThat(world.cluster.changes).as("an operator's is not").doesNotContain("uncordon p-0001");
        assertThat(world.cluster.pods.get("next-1").getSpec().getNodeName()).isEqualTo("p-0002");
        assertThat(world.cloud.everMade()).isEqualTo(2);
        assertThat(world.cluster.nodes.get("p-0002").getMetadata().getAnnotations())
                .as("so that a later cordon is the operator's")
                .doesNotContainKey(Names.REMOVING);
    }

    @Test
    void rule20_podsOfEveryNamespaceKeepAMachine() {
        burst(1);
        world.seconds(32);
        world.finishAllJobs();
        world.cluster.add(new PodBuilder(Objects.running("other", "p-0001", "cpu", "1"))
                .editMetadata()
                .withNamespace("somebody-elses")
                .endMetadata()
                .editSpec()
                .withSchedulerName("default-scheduler")
                .endSpec()
                .build());
        world.seconds(1000);
        assertThat(world.cloud.machines("p")).hasSize(1);
    }

    @Test
    void rule33_whatIsPaidForIsUsedWhereAPoolSaysSo() {
        var paid = new ScalerFixture()
                .pool("p", spot(1).idleAfter("10s").billingIncrement("10m"))
                .tier("t", "p");
        paid.waiting(1, "train", "t", "nvidia.com/gpu", "1");
        paid.seconds(40);
        paid.finishAllJobs();
        paid.seconds(455);
        assertThat(paid.cloud.machines("p"))
                .as("8 minutes and 15 seconds after it was ordered")
                .hasSize(1);
        paid.seconds(30);
        assertThat(paid.cloud.machines("p")).isEmpty();
    }

    @Test
    void rule34_theScalerNeverTakesAwayItsOwnMachine() {
        burst(1);
        world.seconds(32);
        world.finishAllJobs();
        world.cluster.add(new PodBuilder(Objects.running("trainyard-scaler-7d4b9", "p-0001", "cpu", "100m"))
                .editMetadata()
                .withNamespace(Names.NAMESPACE)
                .endMetadata()
                .build());
        world.seconds(2000);
        assertThat(world.cloud.machines("p")).hasSize(1);
        assertThat(world.cluster.changes).doesNotContain("cordon p-0001");
        assertThat(world.eventsOf("p-0001"))
                .anyMatch(
                        event -> event.contains("under-utilized-undrainable")
                                && event.endsWith(
                                        "pod trainyard-system/trainyard-scaler-7d4b9 must not be interrupted: it belongs to Trainyard"));
    }

    /** Sets up two machines of four GPUs: p-0001 uses three of them, p-0002 one, for b-1. */
    private void little() {
        world.pool("p", onDemand(4).idleAfter("10s").drainGrace("0s"));
        world.waiting(1, "a", "t", "nvidia.com/gpu", "3").waiting(1, "big", "t", "nvidia.com/gpu", "1");
        world.waiting(1, "b", "t", "nvidia.com/gpu", "1").waiting(1, "c", "t", "nvidia.com/gpu", "3");
        world.seconds(32);
        world.cluster.place("b-1", "p-0002");
        world.cluster.pods.remove("c-1");
        world.cluster.pods.remove("big-1");
    }

    private void change(String pod, UnaryOperator<PodBuilder> change) {
        world.cluster.pods.computeIfPresent(
                pod, (name, before) -> change.apply(new PodBuilder(before)).build());
    }

    private static Node cordoned(Node node) {
        return new NodeBuilder(node)
                .editSpec()
                .withUnschedulable(true)
                .endSpec()
                .build();
    }

    private void burst(int pods) {
        world.waiting(pods, "train", "t", "nvidia.com/gpu", "1");
    }
}
