package dev.trainyard.scaler.plan;

import dev.trainyard.core.pool.Pool;
import java.util.List;

/**
 * A pool that is to grow: one request to its cloud.
 *
 * @param wanted how many more machines the demand would have; more than {@code to - from} when the pool's maximum does not allow it
 * @param why for whom, in words
 * @param insteadOf why a preferred pool was passed over, in words; empty when none was
 */
public record Growth(Pool pool, int from, int to, int wanted, String why, List<String> insteadOf) {

    public Growth {
        insteadOf = List.copyOf(insteadOf);
    }

    public int machines() {
        return to - from;
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
                        insteadOf.isEmpty() ? "" : ", because " + String.join("; ", insteadOf));
    }
}
