package dev.trainyard.scaler.observe;

import static dev.trainyard.scaler.Objects.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.Names;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.SnapshotFixture;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An attacker who may create pods with annotations of 256 KiB: the scaler's messages repeat only a readable part. */
class HostilePodReadingTest {

    private static final String HUGE = "9".repeat(250_000);

    @ParameterizedTest
    @ValueSource(strings = {Names.DEADLINE, Names.WORK, Names.RESTART_COST})
    void repeatsAnInvalidDeadlineInPart(String annotation) {
        for (var text : List.of("1s".repeat(1_000), HUGE, "\n".repeat(50) + "\u001b[2J")) {
            for (var others : List.of(Map.<String, String>of(), Map.of(Names.DEADLINE, "2026-01-02T08:00:00Z"))) {
                var annotations = new HashMap<>(others);
                annotations.put(annotation, text);

                assertThatThrownBy(() -> TrainingDeadline.of(annotations))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(annotation)
                        .satisfies(e ->
                                assertThat(e.getMessage()).hasSizeLessThan(300).doesNotContain("\n", "\u001b"));
            }
        }
    }

    @Test
    @SuppressWarnings("NullAway")
    void oneMalformedPodHarmsNoOtherDeadline() {
        var testCluster = new SnapshotFixture().pool("p", Objects.spot(1)).tier("t", "p");
        for (var name : List.of("work", "progress", "owner", "good")) {
            var pod = new PodBuilder(Objects.waiting(name, "t", "nvidia.com/gpu", "1"))
                    .editMetadata()
                    .addToAnnotations(Names.DEADLINE, "2026-01-02T00:00:00Z")
                    .addToAnnotations(Names.WORK, name.equals("work") ? "1s".repeat(1_000) : "1h")
                    .addToAnnotations(
                            Names.PROGRESS, "1s".repeat(name.equals("progress") ? 100_000 : 1) + ", since " + NOON)
                    .endMetadata()
                    .build();
            if (name.equals("owner")) {
                pod.getMetadata().setOwnerReferences(Collections.singletonList(null));
            }
            testCluster.pods.add(pod);
        }

        var deadlines = new ProgressMemory(() -> 0)
                .on(testCluster.snapshot(), testCluster.pods)
                .deadlines();

        assertThat(deadlines.of("uid-good").orElseThrow().saved()).isEqualTo(Duration.ofSeconds(1));
        assertThat(deadlines.of("uid-progress").orElseThrow().saved()).isZero();
        assertThat(deadlines.invalid()).extracting(Unreadable::name).containsExactly("owner", "work");
    }
}
