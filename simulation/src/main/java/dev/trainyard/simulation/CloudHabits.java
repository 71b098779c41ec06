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
 * How clouds are supposed to behave where a pool does not say. Pools of kwok's do: their {@code bootDelay}, {@code driverDelay},
 * {@code failureDelay} and {@code capacity} count.
 *
 * @param boot from an order to the machine's joining, on average: it takes from three quarters of that to five quarters
 * @param driver from joining until GPUs show
 * @param failure from an order to the report that it cannot be filled
 * @param departure from the order to terminate until a machine is not paid for any more
 * @param spotLasts how long a spot machine lasts on average; empty: for ever
 * @param stock machines that there are at most, by pool
 */
public record CloudHabits(
        Duration boot,
        Duration driver,
        Duration failure,
        Duration departure,
        Optional<Duration> spotLasts,
        Map<String, Integer> stock) {

    /** Without users' knowing better: what Azure and AWS usually take. */
    public static final CloudHabits USUAL = new CloudHabits(
            Duration.ofMinutes(2),
            Duration.ofMinutes(2),
            Duration.ofSeconds(30),
            Duration.ofMinutes(1),
            Optional.empty(),
            Map.of());

    public CloudHabits {
        stock = Map.copyOf(stock);
    }

    /**
     * How the cloud of that pool behaves.
     *
     * @throws IllegalArgumentException when the pool names a duration that is none
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
                pool.isSpot() ? spotLasts : Optional.empty(),
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
