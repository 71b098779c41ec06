package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import org.junit.jupiter.api.Test;

/** One pod in the scaler's log. */
class PodTraceTest {

    private static final String TRACE = "6f0c7b5e-3f2d-4a55-9a43-0f5a3d3c2b11";

    private final ScalerFixture world =
            new ScalerFixture().pool("light-spot", Objects.spot(1).max(1)).tier("light-gpu", "light-spot");

    @Test
    void whatIsDoneAboutAPodIsLoggedWhenItChanges() {
        world.cluster.add(traced("first"));
        try (var log = new Logged()) {
            world.seconds(20);
            var known = " uid=uid-first trace=" + TRACE;
            assertThat(log.of("uid-first"))
                    .containsExactly(
                            "pod team/first: a machine of pool light-spot is requested" + known,
                            "pod team/first: a machine of pool light-spot is provisioning" + known);
        }
    }

    @Test
    void whyAPodWaitsIsLoggedOnce() {
        world.cluster.add(traced("first"));
        world.seconds(60);
        world.cluster.add(traced("second"));
        try (var log = new Logged()) {
            world.seconds(20);
            assertThat(log.of("uid-second"))
                    .singleElement()
                    .asString()
                    .startsWith("pod team/second is pending: ")
                    .endsWith(" uid=uid-second trace=" + TRACE);
        }
    }

    @Test
    void whatIsMadeAnewUnderTheSameNameIsLoggedAnew() {
        world.cluster.add(traced("first"));
        world.cluster.add(traced("second"));
        world.tier("odd", "no-such-pool");
        world.seconds(60);
        try (var log = new Logged()) {
            world.seconds(20);
            assertThat(log.lines()).isEmpty();
            world.cluster.add(new PodBuilder(traced("second"))
                    .editMetadata()
                    .withUid("uid-new")
                    .endMetadata()
                    .build());
            world.cluster.tiers.get("odd").getMetadata().setUid("uid-new");
            world.seconds(20);
            assertThat(log.of("uid-new")).singleElement().asString().startsWith("pod team/second is pending: ");
            assertThat(log.lines())
                    .filteredOn(line -> line.startsWith("configuration: TrainingTier odd: "))
                    .hasSize(1);
        }
    }

    private static Pod traced(String name) {
        return new PodBuilder(Objects.waiting(name, "light-gpu", "nvidia.com/gpu", "1"))
                .editMetadata()
                .addToAnnotations(Names.ADMISSION, TRACE)
                .endMetadata()
                .build();
    }
}
