package dev.trainyard.scaler.loop;

import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.api.TrainingTierSpec;
import dev.trainyard.core.api.TrainingTierSpec.DefaultFor;
import dev.trainyard.core.api.TrainingTierSpec.GpuRange;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.ScalerFixture;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The reports about pods that were admitted without the webhook. */
class AuditorTest {

    private final ScalerFixture world = new ScalerFixture().pool("light-spot", spot(1));

    @BeforeEach
    void lightIsTheDefaultForOneGpu() {
        world.cluster.tier(
                "light-gpu",
                TrainingTierSpec.builder(List.of("light-spot"))
                        .fallbackAfter("3m")
                        .defaultFor(new DefaultFor(new GpuRange(1, 1)))
                        .build());
    }

    @Test
    void countsThemFromNoneToNone() {
        assertThat(world.notCompleted()).isZero();
        world.cluster.add(missed("train", "1"));
        world.waiting(1, "completed", "light-gpu", "nvidia.com/gpu", "1");
        world.round();
        assertThat(world.notCompleted()).isEqualTo(1);

        world.cluster.pods.remove("train");
        world.round();
        assertThat(world.notCompleted()).isZero();
    }

    @Test
    void tellsAPodThatWaitsWhyOnceAndNotInOtherWordsBesides() {
        world.cluster.add(missed("train", "1"));
        rounds(3);

        assertThat(world.eventsOf("train"))
                .singleElement()
                .asString()
                .startsWith("train NotCompleted: the webhook did not complete this pod")
                .contains("of tier light-gpu");
    }

    @Test
    void tellsAPodOfAMisspeltTierOnceWhatIsWrong() {
        world.cluster.add(new PodBuilder(missed("train", "1"))
                .editMetadata()
                .addToAnnotations(Names.TIER, "light")
                .endMetadata()
                .build());
        rounds(3);

        assertThat(world.eventsOf("train")).singleElement().asString().contains("there is no TrainingTier 'light'");
    }

    @Test
    void tellsAPodThatNoDefaultTierIsForWithTheReasonForItsWait() {
        world.cluster.add(missed("train", "2"));
        world.round();

        assertThat(world.notCompleted()).isZero();
        assertThat(world.eventsOf("train"))
                .singleElement()
                .asString()
                .startsWith("train NotPlaceable: asks for nvidia.com/gpu 2; the largest machine of any tier")
                .endsWith("the webhook does not change this pod: asks for 2 GPUs, but no tier is the default for "
                        + "that number: name a tier in annotation trainyard.dev/tier; "
                        + "default tiers: light-gpu (1 to 1)"
                        + TroubleshootingTopic.FITS_NO_POOL.see());
    }

    @Test
    void tellsAPodThatRunsOnceAndOneThatWaitsAgainWhenItsEventIsForgotten() {
        world.cluster.add(missed("waits", "1"));
        world.cluster.add(missed("runs", "1"));
        world.cluster.place("runs", "somewhere");
        rounds(3);
        assertThat(world.eventsOf("waits")).hasSize(1);

        world.clock.move(Duration.ofHours(1));
        rounds(3);

        assertThat(world.eventsOf("waits")).hasSize(2);
        assertThat(world.eventsOf("runs")).hasSize(1);
    }

    @Test
    void tellsThousandsAFewInEachRound() {
        for (int i = 0; i < 1000; i++) {
            world.cluster.add(missed("train-" + i, "1"));
        }
        world.round();
        assertThat(world.events).hasSize(Auditor.AT_ONCE);
        assertThat(world.notCompleted()).isEqualTo(1000);

        rounds(9);
        assertThat(world.events).hasSize(1000).doesNotHaveDuplicates();
        rounds(3);
        assertThat(world.events).hasSize(1000);
    }

    @Test
    void waitsForANamespaceThatIsNotKnownYet() {
        world.cluster.namespaces.remove("team");
        world.cluster.add(missed("train", "1"));
        world.cluster.place("train", "somewhere");
        world.round();
        assertThat(world.notCompleted()).isZero();

        world.cluster.namespaces.put("team", NamespaceFacts.NONE);
        world.round();
        assertThat(world.notCompleted()).isEqualTo(1);
        assertThat(world.eventsOf("train")).hasSize(1);
    }

    private void rounds(int number) {
        for (int i = 0; i < number; i++) {
            world.clock.move(Duration.ofSeconds(1));
            world.round();
        }
    }

    /** A pod as the default scheduler leaves it, without the tolerations and selectors that a tier's pools need. */
    private static Pod missed(String name, String gpus) {
        return new PodBuilder(Objects.waiting(name, null, "nvidia.com/gpu", gpus))
                .editSpec()
                .withSchedulerName("default-scheduler")
                .addToNodeSelector("no", "pool")
                .endSpec()
                .build();
    }
}
