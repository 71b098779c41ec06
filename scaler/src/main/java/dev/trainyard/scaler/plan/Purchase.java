package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.provider.PoolState;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The new machines of one pool, as they add up in the course of planning. */
final class Purchase {

    private final PoolView pool;
    private final Set<String> forWhom = new LinkedHashSet<>();
    private final Set<String> insteadOf = new LinkedHashSet<>();
    private int machines;
    private int wanted;

    Purchase(PoolView pool) {
        this.pool = pool;
    }

    /** How many more may be bought. */
    int room() {
        return pool.room() - machines;
    }

    /** The pool's target if it is bought. */
    int target() {
        return pool.state().map(PoolState::target).orElse(0) + machines;
    }

    /** @return how many of those wanted there is room for */
    int buy(int number, String whom) {
        int bought = Math.min(number, room());
        machines += bought;
        wanted += number;
        forWhom.add(whom);
        return bought;
    }

    void insteadOf(String reason) {
        insteadOf.add(reason);
    }

    Optional<Growth> growth() {
        return pool.state()
                .filter(state -> machines > 0)
                .map(state -> new Growth(
                        pool.pool(),
                        state.target(),
                        Math.max(state.target(), state.present()) + machines,
                        wanted,
                        String.join(", ", forWhom),
                        List.copyOf(insteadOf)));
    }
}
