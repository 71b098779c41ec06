package dev.trainyard.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.gang.GangClaim.Malformed;
import dev.trainyard.core.gang.GangFixture.Members;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaderWorkerSetGangTest {

    private static final String BY_SIZE = ", by annotation leaderworkerset.sigs.k8s.io/size";
    private static final String BY_INDEX = ", by label leaderworkerset.sigs.k8s.io/worker-index";

    private final GangFixture sets = GangFixture.read("leaderworkerset.yaml");

    @Test
    void leaderAndWorkersOfAGroupAreOneGang() {
        assertThat(sets.gangs("created"))
                .containsExactly(
                        new Members("LeaderWorkerSet team/created, group 0: 3" + BY_SIZE, 3),
                        new Members("LeaderWorkerSet team/created, group 1: 3" + BY_SIZE, 3));
    }

    @Test
    void workersThatWaitForTheirLeaderAreAnotherGang() {
        assertThat(sets.gangs("ready"))
                .containsExactly(
                        new Members("LeaderWorkerSet team/ready, group 0, leader: 1" + BY_INDEX, 1),
                        new Members("LeaderWorkerSet team/ready, group 0, workers: 2" + BY_SIZE, 2),
                        new Members("LeaderWorkerSet team/ready, group 1, leader: 1" + BY_INDEX, 1),
                        new Members("LeaderWorkerSet team/ready, group 1, workers: 2" + BY_SIZE, 2));
        assertThat(sets.groups("ready")).hasSize(2);
    }

    /** LeaderWorkerSet creates the workers of an exclusive group only after the leader has a node. */
    @Test
    void theLeaderOfAnExclusiveGroupIsAGangOfItsOwn() {
        assertThat(sets.gangs("exclusive-0"))
                .containsExactly(new Members("LeaderWorkerSet team/exclusive, group 0, leader: 1" + BY_INDEX, 1));
    }

    @Test
    void withoutTheSetWorkersAreAssumedToWaitForTheirLeader() {
        assertThat(sets.known())
                .containsEntry("created-0", "LeaderWorkerSet team/created, group 0, leader: 1" + BY_INDEX)
                .containsEntry("created-0-1", "LeaderWorkerSet team/created, group 0, workers: 2" + BY_SIZE);
    }

    /** The pod group that LeaderWorkerSet creates for Volcano asks for the leader only; Kueue's asks for all, and creates none. */
    @Test
    void groupsThatAreCreatedForTheSetChangeNothing() {
        for (var pod : sets.pods()) {
            var grouped = new PodBuilder(pod)
                    .editMetadata()
                    .addToLabels("kueue.x-k8s.io/pod-group-name", "lws")
                    .addToAnnotations(Map.of(
                            "scheduling.k8s.io/group-name", "ready-0-5b7d95976c",
                            "kueue.x-k8s.io/pod-group-total-count", "3"))
                    .endMetadata()
                    .build();

            assertThat(sets.gang(grouped)).isEqualTo(sets.gang(pod));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-3", "0", "1000001", "many", "", "9999999999999"})
    void anInvalidSizeIsNamed(String size) {
        var pod = new PodBuilder(sets.first("ready-0"))
                .editMetadata()
                .addToAnnotations("leaderworkerset.sigs.k8s.io/size", size)
                .endMetadata()
                .build();

        assertThat(GangClaim.of(pod))
                .containsInstanceOf(Malformed.class)
                .map(claim -> ((Malformed) claim).problem())
                .contains(
                        "leaderworkerset.sigs.k8s.io/size is '%s'; expected a whole number from 1 to 1000000, such as 8"
                                .formatted(size));
    }
}
