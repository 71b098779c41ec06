package dev.trainyard.scaler.metrics;

import static dev.trainyard.scaler.Objects.onDemand;
import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.ScalerFixture;
import dev.trainyard.scaler.provider.FailureKind;
import org.junit.jupiter.api.Test;

/** The metrics that alerts use: states that last as long as an action is needed, and counters that exist before their first count. */
class ScalerMetricsTest {

    private final ScalerFixture world = new ScalerFixture()
            .pool("light-spot", spot(1).idleAfter("10s"))
            .pool("light-ondemand", onDemand(1).idleAfter("10s"))
            .tier("light-gpu", "light-spot", "light-ondemand");

    @Test
    void aPoolThatCannotBeReadSaysSo() {
        world.cloud.unreadable.put("light-spot", FailureKind.TRANSIENT);
        world.second();

        assertThat(gauge("pool.readable", "pool", "light-spot")).isZero();
        assertThat(gauge("pool.readable", "pool", "light-ondemand")).isEqualTo(1);
    }

    @Test
    void aPoolFailsUntilItDeliversAlsoBetweenItsBackOffs() {
        world.cloud.refusing.put("light-spot", FailureKind.AUTH);
        world.cloud.refusing.put("light-ondemand", FailureKind.AUTH);
        world.waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");
        for (int second = 0; second < 300; second++) {
            world.second();
            assertThat(gauge("pool.failing", "pool", "light-spot", "kind", "auth"))
                    .isEqualTo(1);
        }
        assertThat(gauge("waiting.age.seconds", "outcome", "backed-off")).isBetween(250.0, 310.0);

        world.cloud.refusing.clear();
        world.seconds(600);

        assertThat(world.placed()).isEqualTo(1);
        assertThat(world.meters
                        .find("trainyard.scaler.pool.failing")
                        .tag("pool", "light-spot")
                        .gauge())
                .isNull();
        assertThat(world.meters.find("trainyard.scaler.waiting.age.seconds").gauges())
                .isEmpty();
    }

    /** Prometheus sees no increase in a series that begins with its first failure. */
    @Test
    void backOffsOfAllKindsAreCountedFromTheStartAndForgottenWithTheirPool() {
        world.second();
        assertThat(world.meters
                        .get("trainyard.scaler.backoffs")
                        .tag("pool", "light-spot")
                        .counters())
                .hasSize(FailureKind.values().length)
                .allMatch(counter -> counter.count() == 0);

        world.cluster.pools.remove("light-spot");
        world.second();
        assertThat(world.meters
                        .find("trainyard.scaler.backoffs")
                        .tag("pool", "light-spot")
                        .counters())
                .isEmpty();
    }

    private double gauge(String name, String... tags) {
        return world.meters.get("trainyard.scaler." + name).tags(tags).gauge().value();
    }
}
