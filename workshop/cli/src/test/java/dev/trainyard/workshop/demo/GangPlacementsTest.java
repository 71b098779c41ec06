package dev.trainyard.workshop.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class GangPlacementsTest {

    private final GangPlacements gangs = new GangPlacements();

    @Test
    void gangWithReservedRoomForAllStartsWhole() {
        gangs.changed(reserved("a-1"), at(0));
        gangs.changed(reserved("a-2"), at(0));
        gangs.changed(placed("a-1"), at(1000));
        gangs.changed(placed("a-2"), at(1200));
        gangs.changed(ended("a-1"), at(5000));

        var placement = gangs.of("team", "a").orElseThrow();
        assertThat(placement).isEqualTo(new GangPlacement(2, 0, 2, at(1000), at(1200)));
        assertThat(placement.problem(2)).isEmpty();
        assertThat(placement.inPart()).isEqualTo(at(200));
    }

    @Test
    void gangWithoutRoomForAllIsAProblemEvenIfTheOthersFollow() {
        gangs.changed(reserved("a-1"), at(0));
        gangs.changed(waiting("a-2"), at(0));
        gangs.changed(placed("a-1"), at(1000));
        gangs.changed(placed("a-2"), at(1001));

        assertThat(problem("a", 2)).contains("when only 1 of 2 pods had a node or reserved room");
    }

    @Test
    void lostReservationDoesNotCount() {
        gangs.changed(reserved("a-1"), at(0));
        gangs.changed(reserved("a-2"), at(0));
        gangs.changed(waiting("a-2"), at(1));
        gangs.changed(placed("a-1"), at(2));

        assertThat(problem("a", 2)).contains("only 1 of 2 pods");
    }

    @Test
    void gangWhoseLastPodWaitsTooLongIsAProblem() {
        gangs.changed(reserved("a-1"), at(0));
        gangs.changed(reserved("a-2"), at(0));
        gangs.changed(placed("a-1"), at(0));
        assertThat(problem("a", 2)).contains("1 pods got nodes, but the gang has 2");
        gangs.changed(placed("a-2"), at(60_001));
        assertThat(problem("a", 2)).contains("the last pod got its node 60001 ms after the first");
    }

    @Test
    void countsRunningPodsOfOtherGangs() {
        gangs.changed(placed("a-1"), at(0));
        gangs.changed(placed("a-2"), at(0));
        gangs.changed(ended("a-2"), at(1));
        gangs.changed(placed("b-1"), at(2));
        gangs.removed(placed("a-1"));
        gangs.changed(placed("c-1"), at(3));

        assertThat(gangs.of("team", "b").orElseThrow().others()).isEqualTo(1);
        assertThat(gangs.of("team", "c").orElseThrow().others())
                .as("b-1 runs, a-1 was removed")
                .isEqualTo(1);
        assertThat(gangs.of("other", "a")).isEmpty();
    }

    @Test
    void knowsTheGangOfAJobSetByItsLabel() {
        var pod = new PodBuilder(placed("a-1"))
                .editMetadata()
                .withAnnotations(null)
                .addToLabels("jobset.sigs.k8s.io/jobset-name", "pretrain")
                .endMetadata()
                .build();
        gangs.changed(pod, at(0));

        assertThat(gangs.of("team", "pretrain").orElseThrow().placed()).isEqualTo(1);
    }

    private String problem(String gang, int size) {
        return gangs.of("team", gang)
                .flatMap(placement -> placement.problem(size))
                .orElse("");
    }

    private static Duration at(long millis) {
        return Duration.ofMillis(millis);
    }

    private static Pod waiting(String name) {
        return new PodBuilder()
                .withNewMetadata()
                .withNamespace("team")
                .withName(name)
                .withUid(name)
                .addToAnnotations(Names.GANG, name.substring(0, 1))
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .withNewStatus()
                .withPhase("Pending")
                .endStatus()
                .build();
    }

    private static Pod reserved(String name) {
        return new PodBuilder(waiting(name))
                .editStatus()
                .withNominatedNodeName("node")
                .endStatus()
                .build();
    }

    private static Pod placed(String name) {
        return new PodBuilder(waiting(name))
                .editSpec()
                .withNodeName("node")
                .endSpec()
                .build();
    }

    private static Pod ended(String name) {
        return new PodBuilder(placed(name))
                .editStatus()
                .withPhase("Succeeded")
                .endStatus()
                .build();
    }
}
