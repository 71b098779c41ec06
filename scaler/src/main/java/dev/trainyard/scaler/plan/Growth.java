package dev.trainyard.scaler.plan;

import dev.trainyard.core.pool.Pool;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The growth of a pool: one request to its cloud.
 *
 * @param wanted how many more machines are needed; more than {@code to - from} if the pool's maximum is too low
 * @param why the tiers or other reasons for the growth, in words
 * @param insteadOf why preferred pools were passed over; empty if none was
 * @param choice the prices that decided between equally preferred pools, in words; empty if there was no such choice
 */
public record Growth(
        Pool pool, int from, int to, int wanted, String why, List<Refusal> insteadOf, Optional<String> choice) {

    public Growth {
        insteadOf = List.copyOf(insteadOf);
    }

    public int machines() {
        return to - from;
    }

    /** Returns a short text such as {@code 0 -> 40 for tier light-gpu}. */
    public String brief() {
        return insteadOf.stream().map(refusal -> refusal.brief() + ": ").collect(Collectors.joining())
                + "%d -> %d for %s".formatted(from, to, why);
    }

    /** Returns a message such as {@code pool light-spot grows from 1 to 40 machines (39 requested, 50 needed) for tier light-gpu}. */
    @Override
    public String toString() {
        return "pool %s grows from %d to %d machines (%d requested, %d needed) for %s%s%s"
                .formatted(
                        pool.name(),
                        from,
                        to,
                        machines(),
                        wanted,
                        why,
                        insteadOf.isEmpty()
                                ? ""
                                : insteadOf.stream()
                                        .map(Refusal::message)
                                        .collect(Collectors.joining("; ", ", because ", "")),
                        choice.map("; "::concat).orElse(""));
    }
}
