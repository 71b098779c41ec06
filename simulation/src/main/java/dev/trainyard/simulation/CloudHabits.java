package dev.trainyard.simulation;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.simulation.cloud.Behaviour;
import dev.trainyard.simulation.cloud.Behaviour.Group;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The assumed behaviour of the pools' clouds. For pools with the provider kwok, {@code bootDelay}, {@code driverDelay} and
 * {@code failureDelay} of the pool apply instead.
 *
 * @param boot the mean time from a request until the machine joins; actual times are between 75 % and 125 % of this mean
 * @param driver the time from the joining of a machine until its node shows GPUs
 * @param failure the time from a request until the cloud reports that it cannot fill the request
 * @param departure the time from a termination request until the machine costs nothing
 * @param spotLasts how long a spot machine lasts on average; empty if spot machines are never reclaimed
 * @param spotLastsIn how long a machine of a spot pool lasts on average, by pool name; for a pool without an entry, {@code spotLasts} applies
 * @param spotNotice how long before the reclaim of a spot machine the cloud announces it; zero if the cloud announces none
 * @param stock the largest number of machines that can exist at the same time, by pool name; for a pool without an entry, the
 *     {@code capacity} of its provider kwok applies, or no limit
 */
public record CloudHabits(
        Duration boot,
        Duration driver,
        Duration failure,
        Duration departure,
        Optional<Duration> spotLasts,
        Map<String, Duration> spotLastsIn,
        Duration spotNotice,
        Map<String, Integer> stock) {

    /** The defaults: typical values of Azure and AWS. */
    public static final CloudHabits USUAL = new CloudHabits(
            Duration.ofMinutes(2),
            Duration.ofMinutes(2),
            Duration.ofSeconds(30),
            Duration.ofMinutes(1),
            Optional.empty(),
            Map.of(),
            Duration.ZERO,
            Map.of());

    public CloudHabits {
        spotLastsIn = Map.copyOf(spotLastsIn);
        stock = Map.copyOf(stock);
    }

    /** Whether the cloud reclaims machines. */
    public boolean reclaims() {
        return spotLasts.isPresent() || !spotLastsIn.isEmpty();
    }

    /** Returns these habits with another notice before reclaims. */
    CloudHabits withSpotNotice(Duration notice) {
        return new CloudHabits(boot, driver, failure, departure, spotLasts, spotLastsIn, notice, stock);
    }

    /**
     * Returns the behaviour of a pool's cloud.
     *
     * @throws IllegalArgumentException if the pool has an invalid duration
     */
    public Behaviour of(Pool pool) {
        var kwok = pool.provider().kwok();
        var booting = kwok == null ? boot : duration(pool, "bootDelay", kwok.bootDelay(), boot);
        int usual = kwok == null || kwok.capacity() == null ? Integer.MAX_VALUE : kwok.capacity();
        return new Behaviour(
                pool.provider().awsAutoScalingGroup() == null ? Group.SCALE_SET : Group.AUTO_SCALING_GROUP,
                stock.getOrDefault(pool.name(), usual),
                booting.multipliedBy(3).dividedBy(4),
                booting.multipliedBy(5).dividedBy(4),
                pool.promisedGpus() == 0
                        ? Duration.ZERO
                        : kwok == null ? driver : duration(pool, "driverDelay", kwok.driverDelay(), driver),
                kwok == null ? failure : duration(pool, "failureDelay", kwok.failureDelay(), failure),
                departure,
                pool.isSpot()
                        ? Optional.ofNullable(spotLastsIn.get(pool.name())).or(() -> spotLasts)
                        : Optional.empty(),
                spotNotice,
                false,
                Behaviour.Answers.PROMPT);
    }

    private static Duration duration(Pool pool, String field, @Nullable String text, Duration otherwise) {
        try {
            return text == null ? otherwise : Durations.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "TrainingPool %s: spec.provider.kwok.%s: %s".formatted(pool.name(), field, e.getMessage()), e);
        }
    }
}
