package dev.trainyard.scaler.plan;

import dev.trainyard.core.pool.Pool;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A pool that is to grow: one request to its cloud.
 *
 * @param wanted how many more machines the demand would have; more than {@code to - from} when the pool's maximum does not allow it
 * @param why for whom, in words
 * @param insteadOf why preferred pools were passed over; empty when none was
 */
public record Growth(Pool pool, int from, int to, int wanted, String why, List<Refusal> insteadOf) {

    public Growth {
        insteadOf = List.copyOf(insteadOf);
    }

    public int machines() {
        return to - from;
    }

    /** In a few words: {@code 0 -> 40 for tier light-gpu}. */
    public String brief() {
        return insteadOf.stream().map(refusal -> refusal.brief() + ": ").collect(Collectors.joining())
                + "%d -> %d for %s".formatted(from, to, why);
    }

    /** For people: {@code pool light-spot grows from 0 to 40 machines (asked 40) for tier light-gpu}. */
    @Override
    public String toString() {
        return "pool %s grows from %d to %d machines (asked %d) for %s%s"
                .formatted(
                        pool.name(),
                        from,
                        to,
                        wanted,
                        why,
                        insteadOf.isEmpty()
                                ? ""
                                : insteadOf.stream()
                                        .map(Refusal::message)
                                        .collect(Collectors.joining("; ", ", because ", "")));
    }
}
