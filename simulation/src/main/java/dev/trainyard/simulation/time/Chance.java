package dev.trainyard.simulation.time;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** A source of random decisions with a seed. Values for one purpose do not depend on how many values are drawn for other purposes. */
public final class Chance {

    private final long seed;
    private final SplittableRandom random;

    public Chance(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
    }

    /** Returns a source for one purpose. With the same seed and purpose, a source returns the same values in every run. */
    public Chance of(String purpose) {
        return new Chance(seed * 0x9E3779B97F4A7C15L + purpose.hashCode());
    }

    /** Returns a random number from 0 to 1. */
    public double share() {
        return random.nextDouble();
    }

    /** Whether an event of the given probability happens. */
    public boolean happens(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    /**
     * Returns a random whole number from 0 (inclusive) to {@code below} (exclusive).
     *
     * @param below more than zero
     */
    public int number(int below) {
        return random.nextInt(below);
    }

    /** Returns a random element; empty, without drawing a number, if there is none. */
    public <T> Optional<T> any(List<T> all) {
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(number(all.size())));
    }

    /** Returns a random duration between {@code least} and {@code most}, or {@code least} if {@code most} is less. */
    public Duration between(Duration least, Duration most) {
        long range = most.toNanos() - least.toNanos();
        return range <= 0 ? least : least.plusNanos(random.nextLong(range + 1));
    }

    /** Returns a random, exponentially distributed time with this mean: the time until an event that is equally likely at any time. */
    public Duration until(Duration mean) {
        return Duration.ofNanos((long) (-Math.log(1 - random.nextDouble()) * mean.toNanos()));
    }
}
