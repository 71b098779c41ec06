package dev.trainyard.runtime.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class WatchedVersionTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final WatchedVersion<Pod> version = WatchedVersion.registered("pods", registry);

    @Test
    void isTheVersionOfTheNewestEvent() {
        version.onList("5", false);
        assertThat(gauge()).isEqualTo(5);

        version.onAdd(pod("7"));
        version.onUpdate(pod("7"), pod("12"));
        assertThat(gauge()).isEqualTo(12);

        version.onDelete(pod("15"), false);
        assertThat(gauge()).isEqualTo(15);
    }

    @Test
    void doesNotDecreaseWhenAnOldObjectArrivesLate() {
        version.onList("20", false);
        version.onDelete(pod("12"), true);
        version.onAdd(pod("not a number"));

        assertThat(gauge()).isEqualTo(20);
    }

    private double gauge() {
        return registry.get("trainyard.watch.resource.version")
                .tag("resource", "pods")
                .gauge()
                .value();
    }

    private static Pod pod(String version) {
        return new PodBuilder()
                .withNewMetadata()
                .withName("train")
                .withResourceVersion(version)
                .endMetadata()
                .build();
    }
}
