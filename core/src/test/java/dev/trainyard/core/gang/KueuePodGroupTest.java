package dev.trainyard.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.gang.GangClaim.Malformed;
import dev.trainyard.core.gang.GangFixture.Members;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KueuePodGroupTest {

    private static final String COUNT = "kueue.x-k8s.io/pod-group-total-count";

    private final GangFixture pods = GangFixture.read("kueue.yaml");

    @Test
    void thePodsOfAGroupAreOneGang() {
        assertThat(pods.gangs("member"))
                .containsExactly(new Members("Kueue's pod group team/train: 2, by annotation " + COUNT, 2));
    }

    /** The Job is admitted as a whole, but need not run as a whole. */
    @Test
    void aJobThatKueueAdmitsIsNoGang() {
        assertThat(pods.gangs("train")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"kueue.x-k8s.io/pod-group-serving", "kueue.x-k8s.io/pod-group-fast-admission"})
    void podsThatMayBeCreatedOneAfterTheOtherAreNoGang(String annotation) {
        var pod = new PodBuilder(pods.first("member"))
                .editMetadata()
                .addToAnnotations(annotation, "true")
                .endMetadata()
                .build();

        assertThat(GangClaim.of(pod)).isEmpty();
    }

    @Test
    void anInvalidCountIsNamed() {
        for (var count : List.of("-1", "two", "1000001", "2.0")) {
            var pod = new PodBuilder(pods.first("member"))
                    .editMetadata()
                    .addToAnnotations(COUNT, count)
                    .endMetadata()
                    .build();

            assertThat(GangClaim.of(pod))
                    .contains(new Malformed(
                            "Kueue's pod group team/train",
                            "Kueue's pod group team/train",
                            "%s is '%s'; expected a whole number from 1 to 1000000, such as 8"
                                    .formatted(COUNT, count)));
        }
    }
}
