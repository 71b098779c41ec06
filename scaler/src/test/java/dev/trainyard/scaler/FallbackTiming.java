package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.scaler.provider.CloudProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How long after a cloud can be seen to have no spot machine an on-demand machine is asked for: no longer than a poll, whenever in between polls
 * that is. Real rounds follow each other as the loop has them follow, a real provider speaks with a cloud, in time that the test moves. One
 * subclass for each kind of cloud resource.
 */
public abstract class FallbackTiming {

    /** The default of {@code --scan-interval}, and the most that a poll may be apart. */
    private static final Duration POLL = Duration.ofSeconds(10);

    /** A cloud with two resources; begins without machines. */
    public interface Stage extends AutoCloseable {

        MovedClock clock();

        /** By the member of {@code spec.provider} that they are for. */
        Map<String, CloudProvider> providers();

        /** A pool of which the cloud has no machine. An order of it can be seen to have failed as long after it as {@link #open} was told. */
        TrainingPoolSpec spot();

        TrainingPoolSpec onDemand();

        /** Machines that {@link #spot}, or {@link #onDemand}, has been asked to have, by the cloud's own book. */
        int spotTarget();

        int onDemandTarget();

        @Override
        void close();
    }

    /**
     * Opens a stage on which requests for spot machines fail.
     *
     * @param failing from an order of a spot machine to the moment at which its failure can be read
     */
    protected abstract Stage open(Duration failing);

    @ParameterizedTest
    @ValueSource(longs = {100, 900, 2_000, 4_900, 5_100, 7_500, 9_900, 12_300, 14_900, 31_000, 59_000})
    void onDemandIsAskedForWithinAPollOfTheFailure(long failing) {
        try (var stage = open(Duration.ofMillis(failing))) {
            var clock = stage.clock();
            var world = new World(clock, stage::providers);
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

    /** @return when the next one is due, as {@link Loop} has it */
    private static Instant turn(World world) {
        var next = world.round().next();
        var latest = world.clock.instant().plus(POLL);
        return next.filter(latest::isAfter).orElse(latest);
    }
}
