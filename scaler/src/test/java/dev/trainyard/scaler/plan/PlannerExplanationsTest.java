package dev.trainyard.scaler.plan;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static dev.trainyard.scaler.plan.Plans.grown;
import static dev.trainyard.scaler.plan.Plans.plan;
import static dev.trainyard.scaler.plan.Plans.unplaced;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.observe.Cordon;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The explanations of pods that stay pending, and the pods that are ignored. */
class PlannerExplanationsTest {

    private final SnapshotFixture testCluster = new SnapshotFixture();

    @Test
    void saysWhatTheLargestMachineHasWhenAPodIsTooLarge() {
        testCluster.lightGpu().waiting(1, "train", "light-gpu", "nvidia.com/gpu", "64");

        assertThat(unplaced(plan(testCluster)))
                .containsExactly(
                        "asks for nvidia.com/gpu 64; the largest machine of tier light-gpu (pool light-spot) has 1");
    }

    @Test
    void saysWhichTiersThereAreWhenOneIsMisspelt() {
        testCluster.lightGpu().waiting(1, "train", "light-gpus", "nvidia.com/gpu", "1");

        assertThat(unplaced(plan(testCluster)))
                .containsExactly("there is no TrainingTier 'light-gpus'; there are: light-gpu");
    }

    @Test
    void leavesThePodsOfOtherSchedulersAloneThatNoPoolCouldRun() {
        testCluster.lightGpu();
        testCluster.pods.add(new PodBuilder(Objects.waiting("foreign", null, "example.com/fpga", "1"))
                .editSpec()
                .withSchedulerName("default-scheduler")
                .endSpec()
                .build());

        var plan = plan(testCluster);

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.outcomes().get("uid-foreign")).isInstanceOf(Outcome.NotOurs.class);
    }

    @Test
    void explainsTheWaitOfAPodThatAsksForAnotherAccelerator() {
        testCluster.lightGpu();
        testCluster.pods.add(new PodBuilder(Objects.waiting("sliced", null, "nvidia.com/mig-1g.5gb", "1"))
                .editSpec()
                .withSchedulerName("default-scheduler")
                .endSpec()
                .build());

        assertThat(unplaced(plan(testCluster)))
                .singleElement()
                .asString()
                .contains("nvidia.com/mig-1g.5gb", "docs/tiers.md#other-accelerators");
    }

    @Test
    void explainsTheWaitOfAGpuPodThatIsOfAnotherScheduler() {
        testCluster.lightGpu();
        testCluster.pods.add(new PodBuilder(Objects.waiting("slipped-through", null, "nvidia.com/gpu", "1"))
                .editSpec()
                .withSchedulerName("default-scheduler")
                .withTolerations()
                .addToNodeSelector("no", "pool")
                .endSpec()
                .build());

        assertThat(unplaced(plan(testCluster))).singleElement().asString().contains("fits no pool of any tier");
    }

    @Test
    void saysWhyAPreferredPoolOnWhichAPodDoesNotFitIsPassedOver() {
        testCluster
                .pool("light", spot(1))
                .pool("heavy", onDemand(4))
                .tier("any-gpu", "light", "heavy")
                .waiting(1, "train", "any-gpu", "nvidia.com/gpu", "2");

        var plan = plan(testCluster);

        assertThat(plan.growths()).hasSize(1);
        assertThat(plan.growths().get(0))
                .hasToString("pool heavy grows from 0 to 1 machines (1 requested, 1 needed) for tier any-gpu, because "
                        + "pool light does not fit: Insufficient nvidia.com/gpu");
    }

    @Test
    void buysNothingForAPodWhoseVolumeClaimDoesNotExist() {
        testCluster.lightGpu();
        testCluster.pods.add(new PodBuilder(Objects.waiting("train", "light-gpu", "nvidia.com/gpu", "1"))
                .editStatus()
                .editFirstCondition()
                .withMessage("0/1 nodes are available: persistentvolumeclaim \"data\" not found.")
                .endCondition()
                .endStatus()
                .build());

        var plan = plan(testCluster);

        assertThat(plan.growths()).isEmpty();
        assertThat(unplaced(plan))
                .containsExactly(
                        "no machine is requested: the pod could not run without its volume; the scheduler reports: "
                                + "0/1 nodes are available: persistentvolumeclaim \"data\" not found.");
    }

    @Test
    void keepsNoNodeForAPodThatTheSchedulerDoesNotBindToIt() {
        testCluster.lightGpu().node("n1", "light-spot").waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        var offers = new Offers();
        offers.made(plan(testCluster), testCluster.snapshot());
        testCluster.later(Duration.ofSeconds(29));
        offers.made(plan(testCluster), testCluster.snapshot());
        assertThat(offers.passedOver(testCluster.now)).isEmpty();
        testCluster.later(Duration.ofSeconds(1));
        offers.made(plan(testCluster), testCluster.snapshot());

        var plan = Planner.plan(testCluster.snapshot(), offers.passedOver(testCluster.now));
        assertThat(plan.reserved()).isEmpty();
        assertThat(plan.growths()).isEmpty();
        assertThat(unplaced(plan))
                .containsExactly(
                        "node n1 should have room for the pod; the scheduler reports: 0/1 nodes are available");

        testCluster.nodes.clear();
        assertThat(Planner.plan(testCluster.snapshot(), offers.passedOver(testCluster.now))
                        .growths())
                .as("bought once more when its node is gone")
                .isEmpty();
        testCluster.later(Offers.RETRY);
        assertThat(grown(Planner.plan(testCluster.snapshot(), offers.passedOver(testCluster.now))))
                .isEqualTo("light-spot 0->1");
    }

    /** Until the scaler's taint is gone, the scheduler cannot bind the pod, and reports that. */
    @Test
    void anOfferOfANodeStandsOnceItIsOpenToPods() {
        testCluster.lightGpu().node("n1", "light-spot").waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        var open = testCluster.nodes.get(0);
        testCluster.nodes.set(0, Cordon.set(open, new Removal(Removal.Reason.IDLE, testCluster.now)));
        var offers = new Offers();
        assertThat(offers.made(plan(testCluster), testCluster.snapshot())).isEmpty();
        assertThat(plan(testCluster).reserved()).containsExactly("n1");
        testCluster.later(Duration.ofMinutes(1));
        testCluster.nodes.set(0, open);
        assertThat(offers.made(plan(testCluster), testCluster.snapshot())).isEmpty();

        testCluster.later(Duration.ofSeconds(30));
        assertThat(offers.made(plan(testCluster), testCluster.snapshot()))
                .containsExactly(Map.entry("uid-train-1", "n1"));
    }

    @Test
    void anOfferOfAnotherNodeIsANewOne() {
        testCluster.lightGpu().node("n1", "light-spot").waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        var offers = new Offers();
        offers.made(plan(testCluster), testCluster.snapshot());
        testCluster.later(Duration.ofMinutes(1));
        testCluster.nodes.clear();
        testCluster.node("n2", "light-spot");

        assertThat(offers.made(plan(testCluster), testCluster.snapshot())).isEmpty();
    }

    @Test
    void buysForAPodThatWasPassedOverWhenAnotherHasTakenTheRoom() {
        testCluster.lightGpu().node("n1", "light-spot").running("other", "n1", "nvidia.com/gpu", "1");
        testCluster
                .cloud("light-spot", 1, SnapshotFixture.machine("light-spot", "n1", State.RUNNING, Objects.NOON))
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(grown(Planner.plan(testCluster.snapshot(), Map.of("uid-train-1", "n1"))))
                .isEqualTo("light-spot 1->2");
    }

    /** The messages of the scheduler plug-ins that have quotas. Pods that a ResourceQuota rejects do not exist. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Pod team/train-1 is rejected in PreFilter because ElasticQuota team is more than Max",
                "Pod team/train-1 is rejected in PreFilter because total ElasticQuota used is more than min",
                "Pod team/train-1 is rejected in PreFilter because queue team is at quota (used=8, max=8)"
            })
    void requestsNoMachineForPodsThatAQuotaOfTheirSchedulerHoldsBack(String verdict) {
        testCluster.lightGpu().waiting(100, "train", "light-gpu", "nvidia.com/gpu", "1");
        says("0/3 nodes are available: " + verdict + ". preemption: 0/3 nodes are available.");

        var plan = plan(testCluster);

        assertThat(plan.growths()).isEmpty();
        assertThat(unplaced(plan)).hasSize(100).allMatch(reason -> reason.contains("its scheduler's quota is used up"));
    }

    /** Koordinator's quotas grow with the cluster, so that one machine may help. */
    @Test
    void requestsOneMachineForPodsThatAQuotaOfKoordinatorHoldsBack() {
        testCluster.lightGpu().waiting(100, "train", "light-gpu", "nvidia.com/gpu", "1");
        says("0/3 nodes are available: Insufficient quotas, quotaName: team, runtime: [cpu:8], used: [cpu:8], "
                + "pod's request: [cpu:1], exceedDimensions: [cpu].");

        var plan = plan(testCluster);

        assertThat(grown(plan)).isEqualTo("light-spot 0->1");
        assertThat(unplaced(plan)).hasSize(99);
    }

    private void says(String verdict) {
        testCluster.pods.replaceAll(pod -> new PodBuilder(pod)
                .editStatus()
                .editFirstCondition()
                .withMessage(verdict)
                .endCondition()
                .endStatus()
                .build());
    }
}
