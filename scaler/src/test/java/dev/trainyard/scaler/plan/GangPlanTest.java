package dev.trainyard.scaler.plan;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static dev.trainyard.scaler.plan.Plans.grown;
import static dev.trainyard.scaler.plan.Plans.plan;
import static dev.trainyard.scaler.plan.Plans.unplaced;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.trainyard.core.Names;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.gang.GangObjects;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Machines for the members of a gang are requested together. */
class GangPlanTest {

    private final SnapshotFixture testCluster = new SnapshotFixture();

    @Test
    void buysForAGangAcrossPools() {
        testCluster.pool("a", spot(1).max(5)).pool("b", onDemand(1).max(5)).tier("t", "a", "b");
        testCluster.gang("llm", "8", 8, "worker", "t", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("a 0->5, b 0->3");
    }

    @Test
    void buysNothingForAGangThatDoesNotFitWholeAndLeavesItsRoomToOthers() {
        testCluster.pool("a", spot(1).max(5)).pool("b", onDemand(1).max(2)).tier("t", "a", "b");
        testCluster.node("n1", "a").gang("llm", "9", 9, "worker", "t", "nvidia.com/gpu", "1");

        var alone = plan(testCluster);
        assertThat(alone.growths()).isEmpty();
        assertThat(alone.reserved()).as("no node is kept for a part of it").isEmpty();
        assertThat(unplaced(alone))
                .hasSize(9)
                .allMatch(message -> message.startsWith(
                        "no machine is requested for the 9 pending pods of gang team/llm, because 1 of them would have no place: "
                                + "pool a can add 5 of the 8 machines needed"));

        testCluster.waiting(8, "single", "t", "nvidia.com/gpu", "1");
        var plan = plan(testCluster);
        assertThat(grown(plan)).isEqualTo("a 0->5, b 0->2");
        assertThat(plan.reserved()).containsExactly("n1");
        assertThat(unplaced(plan)).hasSize(9);
    }

    @Test
    void buysForChiefAndWorkersOfOneGangTogether() {
        testCluster
                .pool("cpu", onDemand(0))
                .pool("gpu", onDemand(4).max(1))
                .tier("cpu", "cpu")
                .tier("gpu", "gpu")
                .gang("llm", "3", 1, "chief", "cpu", "cpu", "4")
                .gang("llm", "3", 2, "worker", "gpu", "nvidia.com/gpu", "4");

        var plan = plan(testCluster);
        assertThat(plan.growths())
                .as("there is but one machine for two workers")
                .isEmpty();
        assertThat(Plans.of(plan, "chief-1").message())
                .contains("gang team/llm")
                .contains("pool gpu can add ");

        testCluster.pool("gpu", onDemand(4).max(2));
        assertThat(grown(plan(testCluster))).isEqualTo("cpu 0->1, gpu 0->2");
    }

    @Test
    void countsMembersThatRunAlready() {
        testCluster
                .lightGpu()
                .node("n1", "light-spot")
                .cloud("light-spot", 1, SnapshotFixture.machine("light-spot", "n1", State.RUNNING, Objects.NOON));
        testCluster.pods.add(member(Objects.running("worker-1", "n1", "nvidia.com/gpu", "1"), "3"));
        testCluster.gang("llm", "3", 1, "late", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(unplaced(plan(testCluster)))
                .containsExactly(
                        "its gang team/llm has 2 of 3 pods; machines are launched for all of them or for none");

        testCluster.gang("llm", "3", 1, "later", "light-gpu", "nvidia.com/gpu", "1");
        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 1->3");
    }

    @Test
    void waitsUntilTheGangIsComplete() {
        testCluster.lightGpu().gang("llm", "8", 5, "worker", "light-gpu", "nvidia.com/gpu", "1");

        var plan = plan(testCluster);

        assertThat(plan.growths()).isEmpty();
        assertThat(unplaced(plan))
                .hasSize(5)
                .allMatch(message -> message.equals(
                        "its gang team/llm has 5 of 8 pods; machines are launched for all of them or for none"));
        assertThat(Plans.of(plan, "worker-1"))
                .isInstanceOfSatisfying(
                        Outcome.Unplaced.class,
                        unplaced -> assertThat(unplaced.reason()).isEqualTo(Outcome.Reason.GANG));
    }

    @Test
    void takesGangsOfDifferentNamespacesForDifferentGangs() {
        testCluster.lightGpu().gang("llm", "2", 1, "worker", "light-gpu", "nvidia.com/gpu", "1");
        testCluster.gang("llm", "2", 1, "other", "light-gpu", "nvidia.com/gpu", "1");
        testCluster.pods.set(
                1,
                new PodBuilder(testCluster.pods.get(1))
                        .editMetadata()
                        .withNamespace("another")
                        .endMetadata()
                        .build());

        assertThat(unplaced(plan(testCluster)))
                .containsExactlyInAnyOrder(
                        "its gang team/llm has 1 of 2 pods; machines are launched for all of them or for none",
                        "its gang another/llm has 1 of 2 pods; machines are launched for all of them or for none");
    }

    @Test
    void explainsSizesThatAreNoneOrContradictEachOtherAndGoesOnWithTheRest() {
        testCluster
                .lightGpu()
                .gang("odd", "many", 1, "malformed", "light-gpu", "nvidia.com/gpu", "1")
                .gang("torn", "2", 1, "two", "light-gpu", "nvidia.com/gpu", "1")
                .gang("torn", "3", 1, "three", "light-gpu", "nvidia.com/gpu", "1")
                .waiting(1, "single", "light-gpu", "nvidia.com/gpu", "1");

        var plan = plan(testCluster);

        assertThat(grown(plan)).isEqualTo("light-spot 0->1");
        assertThat(Plans.of(plan, "malformed-1").message())
                .isEqualTo("trainyard.dev/gang-size is 'many'; expected a whole number from 1 to 1000000, such as 8");
        assertThat(Plans.of(plan, "two-1").message())
                .isEqualTo("gang team/torn cannot be planned, because its pods state different sizes: 2 and 3");
        assertThat(Plans.of(plan, "three-1")).isEqualTo(Plans.of(plan, "two-1"));
    }

    @Test
    void readsTheGangFromLabelsWhereNoAnnotationSaysIt() {
        testCluster.lightGpu();
        testCluster.pods.add(new PodBuilder(Objects.waiting("worker", "light-gpu", "nvidia.com/gpu", "1"))
                .editMetadata()
                .addToLabels(Names.GANG, "llm")
                .addToLabels(Names.GANG_SIZE, "2")
                .endMetadata()
                .build());

        assertThat(unplaced(plan(testCluster))).singleElement().asString().contains("gang team/llm has 1 of 2 pods");
    }

    @Test
    void asksTheNextPoolForTheWholeGangWhenThePreferredOneBacksOff() {
        testCluster
                .lightGpu()
                .cloudFails("light-spot", 0, FailureKind.SPOT_CAPACITY, "none left")
                .gang("llm", "4", 4, "worker", "light-gpu", "nvidia.com/gpu", "1");

        assertThat(grown(plan(testCluster))).isEqualTo("light-ondemand 0->4");
    }

    @Test
    void laterJobWithTheNameOfARunningOneNeedsItsOwnPods() {
        nodes(4);
        for (int i = 1; i <= 4; i++) {
            testCluster.pods.add(
                    owned("first", member(Objects.running("first-" + i, "n" + i, "nvidia.com/gpu", "1"), "4")));
        }
        second(2);

        assertThat(unplaced(plan(testCluster)))
                .hasSize(2)
                .allMatch(message -> message.startsWith("its gang team/llm has 2 of 4 pods"));

        second(4);
        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 4->8");
    }

    @Test
    void podsThatSucceededInAnEarlierRunDoNotCount() {
        testCluster.lightGpu();
        testCluster.pods.add(owned("old-chief", succeeded("old-chief-1", "4")));
        for (int i = 1; i <= 3; i++) {
            testCluster.pods.add(owned("old-workers", succeeded("old-worker-" + i, "4")));
        }
        second(3);

        assertThat(unplaced(plan(testCluster)))
                .hasSize(3)
                .allMatch(message -> message.startsWith("its gang team/llm has 3 of 4 pods"));
    }

    /** The workers were replaced after their machine was reclaimed, when the chief had succeeded already. */
    @Test
    void podThatSucceededInThisRunCounts() {
        testCluster.lightGpu();
        testCluster.pods.add(owned("chief", succeeded("chief-1", "3")));
        testCluster.pods.add(
                owned("workers", member(Objects.waiting("worker-1", "light-gpu", "nvidia.com/gpu", "1"), "3")));
        testCluster.pods.add(
                owned("workers", member(Objects.waiting("worker-2", "light-gpu", "nvidia.com/gpu", "1"), "3")));

        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->2");
    }

    /** A rollout creates a pod of the new ReplicaSet before it deletes one of the old. */
    @Test
    void newReplicaSetOfADeploymentIsOfTheOldOnesGang() {
        nodes(2);
        for (int i = 1; i <= 2; i++) {
            testCluster.pods.add(ofKind(
                    "ReplicaSet", "old", member(Objects.running("old-" + i, "n" + i, "nvidia.com/gpu", "1"), "2")));
        }
        testCluster.pods.add(
                ofKind("ReplicaSet", "new", member(Objects.waiting("new-1", "light-gpu", "nvidia.com/gpu", "1"), "2")));

        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 2->3");
    }

    /** Two replicas of four pods; the real operator's labels. */
    private static final String JOB_SET = """
            {"metadata": {"uid": "u"}, "spec": {"replicatedJobs": [{"name": "workers", "replicas": 2,
              "template": {"spec": {"parallelism": 4, "completions": 4}}}]}}""";

    @Test
    void jobSetGetsMachinesForAllItsPodsOrNone() throws JsonProcessingException {
        testCluster.lightGpu();
        jobSet(6);
        var object = new ObjectMapper().readTree(JOB_SET);
        testCluster.gangObjects = wanted -> new GangObjects.Found(object);

        assertThat(unplaced(plan(testCluster)))
                .hasSize(6)
                .allMatch(message -> message.startsWith("its gang JobSet team/train has 6 of 8 pods"));

        jobSet(8);
        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->8");
    }

    /** The second Job was restarted after the first one had ended. */
    @Test
    void succeededJobOfAJobSetCountsForARestartedOne() throws JsonProcessingException {
        testCluster.lightGpu();
        jobSet(8);
        var object = new ObjectMapper().readTree(JOB_SET);
        testCluster.gangObjects = wanted -> new GangObjects.Found(object);
        testCluster.pods.replaceAll(pod -> owned("second", pod));
        for (int i = 0; i < 4; i++) {
            var done = succeeded("done-" + i, "8");
            testCluster.pods.set(
                    i,
                    owned(
                            "first",
                            new PodBuilder(testCluster.pods.get(i))
                                    .withStatus(done.getStatus())
                                    .build()));
        }

        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->4");
    }

    @Test
    void podGroupOfSeveralControllersIsOneGang() throws JsonProcessingException {
        testCluster.lightGpu();
        var object = new ObjectMapper().readTree("""
                {"spec": {"minMember": 3}}""");
        testCluster.gangObjects = wanted -> new GangObjects.Found(object);
        for (int i = 1; i <= 4; i++) {
            testCluster.pods.add(
                    ofGroup(owned("workers", Objects.waiting("worker-" + i, "light-gpu", "nvidia.com/gpu", "1"))));
        }
        testCluster.pods.add(
                ofGroup(owned("launcher", Objects.waiting("launcher", "light-gpu", "nvidia.com/gpu", "1"))));

        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->5");
    }

    private static Pod ofGroup(Pod pod) {
        return new PodBuilder(pod)
                .editMetadata()
                .addToLabels("scheduling.x-k8s.io/pod-group", "mine")
                .endMetadata()
                .build();
    }

    @Test
    void jobSetThatHasNotBeenReadYetGetsNoMachinesButKeepsFreeNodes() {
        nodes(2);
        jobSet(8);
        testCluster.gangObjects = wanted -> new GangObjects.NotYet();

        var plan = plan(testCluster);

        assertThat(plan.growths()).isEmpty();
        assertThat(plan.reserved()).containsExactlyInAnyOrder("n1", "n2");
        assertThat(unplaced(plan))
                .hasSize(6)
                .containsOnly("JobSet team/train has not been read yet; the scaler reads it soon");
    }

    /** More pods may come, or the JobSet may need fewer. A removed gate cannot be set again. */
    @Test
    void gatesOfAJobSetStayUntilItsSizeIsKnown() {
        nodes(2);
        jobSet(2);
        startWhole();
        for (var unknown : List.of(new GangObjects.NotYet(), new GangObjects.Unreadable("no answer", true))) {
            testCluster.gangObjects = wanted -> unknown;
            assertThat(removals()).isEmpty();
        }
        testCluster.gangObjects = wanted -> new GangObjects.Unreadable("forbidden");
        assertThat(removals())
                .singleElement()
                .satisfies(removal -> assertThat(removal.members()).hasSize(2));
    }

    private void startWhole() {
        testCluster.tiers.put(
                "light-gpu",
                TrainingTierSpec.builder(List.of("light-spot"))
                        .gangs(TrainingTierSpec.GangStart.WHOLE)
                        .build());
        testCluster.pods.replaceAll(pod -> new PodBuilder(pod)
                .editSpec()
                .addNewSchedulingGate(Names.GANG_GATE)
                .endSpec()
                .build());
    }

    private List<GateRemoval> removals() {
        return GateRemoval.of(testCluster.snapshot(), plan(testCluster).outcomes());
    }

    @Test
    void allPodsOfARoundSeeTheSameStateOfAnObject() throws JsonProcessingException {
        testCluster.lightGpu();
        jobSet(8);
        var object = new ObjectMapper().readTree(JOB_SET);
        var answers = new ArrayList<GangObjects.Reading>(List.of(new GangObjects.NotYet()));
        testCluster.gangObjects = wanted -> answers.size() == 1 ? answers.remove(0) : new GangObjects.Found(object);

        assertThat(plan(testCluster).growths()).isEmpty();
        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->8");
    }

    /** Pods of other Jobs have succeeded, and were deleted with their machines. */
    @Test
    void gangOfAnOwnerDoesNotWaitForPodsThatWereNotCreatedWithinMinutes() throws JsonProcessingException {
        testCluster.lightGpu();
        jobSet(1);
        var object = new ObjectMapper().readTree(JOB_SET);
        testCluster.gangObjects = wanted -> new GangObjects.Found(object);

        testCluster.later(Gangs.CREATION.minusSeconds(1));
        assertThat(unplaced(plan(testCluster))).singleElement().asString().contains("has 1 of 8 pods");

        testCluster.later(Duration.ofSeconds(1));
        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->1");
    }

    @Test
    void gangWithAStatedSizeWaitsForItsPods() {
        testCluster.lightGpu().gang("llm", "8", 1, "worker", "light-gpu", "nvidia.com/gpu", "1");
        testCluster.later(Gangs.CREATION.multipliedBy(10));

        assertThat(unplaced(plan(testCluster))).singleElement().asString().contains("has 1 of 8 pods");
    }

    @Test
    void jobSetThatCannotBeReadHasAtLeastAPodForEachJob() {
        testCluster.lightGpu();
        jobSet(1);
        testCluster.gangObjects = wanted -> new GangObjects.Unreadable("forbidden");

        assertThat(unplaced(plan(testCluster)))
                .singleElement()
                .asString()
                .startsWith("its gang JobSet team/train, workers has 1 of 2 pods");

        jobSet(2);
        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->2");
    }

    @Test
    void invalidJobSetIsExplained() throws JsonProcessingException {
        testCluster.lightGpu();
        jobSet(1);
        var object = new ObjectMapper().readTree(JOB_SET.replace("\"replicas\": 2", "\"replicas\": -2"));
        testCluster.gangObjects = wanted -> new GangObjects.Found(object);

        assertThat(unplaced(plan(testCluster)))
                .containsExactly(
                        "JobSet team/train: spec.replicatedJobs[workers].replicas is -2; expected a whole number from 0 to 1000000");
    }

    @Test
    void laterPodsOfAJobAreNotHeldBack() throws JsonProcessingException {
        testCluster.lightGpu();
        var object = new ObjectMapper().readTree("""
                {"spec": {"parallelism": 2, "completions": 5}}""");
        testCluster.gangObjects = wanted -> new GangObjects.Found(object);
        testCluster.pods.add(ofJob(Objects.waiting("next-1", "light-gpu", "nvidia.com/gpu", "1")));
        assertThat(unplaced(plan(testCluster)))
                .singleElement()
                .asString()
                .startsWith("its gang Job team/train has 1 of 2 pods");

        for (int i = 1; i <= 4; i++) {
            testCluster.pods.add(ofJob(succeeded("done-" + i, "5")));
        }
        assertThat(grown(plan(testCluster))).isEqualTo("light-spot 0->1");
    }

    @Test
    void jobThatCannotBeReadAndPodsWithoutASizeAreExplained() {
        testCluster.lightGpu();
        testCluster.pods.add(ofJob(Objects.waiting("next-1", "light-gpu", "nvidia.com/gpu", "1")));
        testCluster.gangObjects = wanted -> new GangObjects.Unreadable(wanted + " cannot be read: forbidden");

        assertThat(unplaced(plan(testCluster)))
                .containsExactly(
                        "trainyard.dev/gang-size is missing; expected the number of pods of gang team/mine; Job team/train cannot be read: forbidden");
    }

    private void jobSet(int pods) {
        testCluster.pods.clear();
        for (int i = 1; i <= pods; i++) {
            testCluster.pods.add(new PodBuilder(Objects.waiting("train-" + i, "light-gpu", "nvidia.com/gpu", "1"))
                    .editMetadata()
                    .addToLabels("jobset.sigs.k8s.io/jobset-name", "train")
                    .addToLabels("jobset.sigs.k8s.io/jobset-uid", "u")
                    .addToLabels("jobset.sigs.k8s.io/replicatedjob-name", "workers")
                    .addToLabels("jobset.sigs.k8s.io/replicatedjob-replicas", "2")
                    .endMetadata()
                    .build());
        }
    }

    private void nodes(int count) {
        testCluster.lightGpu();
        var machines = new Machine[count];
        for (int i = 1; i <= count; i++) {
            testCluster.node("n" + i, "light-spot");
            machines[i - 1] = SnapshotFixture.machine("light-spot", "n" + i, State.RUNNING, Objects.NOON);
        }
        testCluster.cloud("light-spot", count, machines);
    }

    /** Makes these the pending pods of a later Job with the same gang. */
    private void second(int pods) {
        testCluster.pods.removeIf(pod -> pod.getMetadata().getName().startsWith("second"));
        for (int i = 1; i <= pods; i++) {
            testCluster.pods.add(
                    owned("second", member(Objects.waiting("second-" + i, "light-gpu", "nvidia.com/gpu", "1"), "4")));
        }
    }

    private static Pod succeeded(String name, String size) {
        return new PodBuilder(member(Objects.running(name, "gone", "nvidia.com/gpu", "1"), size))
                .editStatus()
                .withPhase("Succeeded")
                .endStatus()
                .build();
    }

    private static Pod ofJob(Pod pod) {
        return new PodBuilder(owned("job", pod))
                .editMetadata()
                .removeFromAnnotations(Names.GANG_SIZE)
                .addToAnnotations(Names.GANG, "mine")
                .endMetadata()
                .build();
    }

    private static Pod owned(String controller, Pod pod) {
        return ofKind("Job", controller, pod);
    }

    private static Pod ofKind(String kind, String controller, Pod pod) {
        return new PodBuilder(pod)
                .editMetadata()
                .withOwnerReferences(new OwnerReferenceBuilder()
                        .withApiVersion("batch/v1")
                        .withKind(kind)
                        .withName("train")
                        .withUid(controller)
                        .withController(true)
                        .build())
                .endMetadata()
                .build();
    }

    private static Pod member(Pod pod, String size) {
        return new PodBuilder(pod)
                .editMetadata()
                .addToAnnotations(Names.GANG, "llm")
                .addToAnnotations(Names.GANG_SIZE, size)
                .endMetadata()
                .build();
    }
}
