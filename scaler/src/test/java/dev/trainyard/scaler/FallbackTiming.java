package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.scaler.loop.Loop;
import dev.trainyard.scaler.provider.CloudProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that an on-demand machine is requested at most one poll after a spot stock-out is visible, wherever it falls between two polls.
 * Real rounds run at the loop's times, and a real provider calls a cloud, in time that the test moves. One subclass for each kind of cloud
 * resource.
 */
public abstract class FallbackTiming {

    /** The default of {@code --scan-interval}, and the longest allowed time between polls. */
    private static final Duration POLL = Duration.ofSeconds(10);

    /** A cloud with two resources; begins without machines. */
    public interface Stage extends AutoCloseable {

        MovedClock clock();

        /** Returns providers by the member of {@code spec.provider} that selects them. */
        Map<String, CloudProvider> providers();

        /** Returns a pool that is out of stock. A request's failure is visible after the time that was given to {@link #open}. */
        TrainingPoolSpec spot();

        TrainingPoolSpec onDemand();

        /** Returns how many machines were requested of {@link #spot}, or {@link #onDemand}, as the cloud recorded it. */
        int spotTarget();

        int onDemandTarget();

        @Override
        void close();
    }

    /**
     * Opens a stage on which requests for spot machines fail.
     *
     * @param failing from the request for a spot machine until its failure can be read
     */
    protected abstract Stage open(Duration failing);

    @ParameterizedTest
    @ValueSource(longs = {100, 900, 2_000, 4_900, 5_100, 7_500, 9_900, 12_300, 14_900, 31_000, 59_000})
    void onDemandIsAskedForWithinAPollOfTheFailure(long failing) {
        try (var stage = open(Duration.ofMillis(failing))) {
            var clock = stage.clock();
            var world = new ScalerFixture(clock, stage::providers);
            world.cluster.pool("spot", stage.spot());
            world.cluster.pool("on-demand", stage.onDemand());
            world.tier("light-gpu", "spot", "on-demand").waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

            var due = turn(world);
            assertThat(stage.spotTarget()).as(world.events.toString()).isEqualTo(1);
            var failed = clock.instant().plusMillis(failing);
            while (stage.onDemandTarget() == 0 && clock.instant().isBefore(failed.plus(POLL))) {
                clock.move(Duration.between(clock.instant(), due));
                due = turn(world);
            }

            assertThat(stage.onDemandTarget()).as(world.events.toString()).isEqualTo(1);
            assertThat(Duration.between(failed, clock.instant()))
                    .as("from the failure to the order")
                    .isBetween(Duration.ZERO, POLL);
            assertThat(world.events).anyMatch(event -> event.startsWith("train-1 Fallback: pool on-demand grows"));
            assertThat(world.cluster.pools.get("spot").getStatus().backOff()).isNotNull();
        }
    }

    /** @return the latest time for the next round, as in {@link Loop} */
    private static Instant turn(ScalerFixture world) {
        var next = world.round().next();
        var latest = world.clock.instant().plus(POLL);
        return next.filter(latest::isAfter).orElse(latest);
    }
}
