package dev.trainyard.scaler.plan;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static dev.trainyard.scaler.plan.Plans.grown;
import static dev.trainyard.scaler.plan.Plans.plan;
import static dev.trainyard.scaler.plan.Plans.unplaced;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine.State;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
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

    private static Pod member(Pod pod, String size) {
        return new PodBuilder(pod)
                .editMetadata()
                .addToAnnotations(Names.GANG, "llm")
                .addToAnnotations(Names.GANG_SIZE, size)
                .endMetadata()
                .build();
    }
}
