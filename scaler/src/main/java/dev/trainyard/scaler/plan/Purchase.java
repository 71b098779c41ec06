package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.provider.PoolState;

/** How many new machines of one pool there are to be, as they add up in the course of planning. */
final class Purchase {

    private final PoolView pool;
    private final Journal journal;
    private int machines;
    private int wanted;

    Purchase(PoolView pool, Journal journal) {
        this.pool = pool;
        this.journal = journal;
    }

    /** How many more may be bought. */
    int room() {
        return pool.room() - machines;
    }

    /** The pool's target if it is bought. */
    int target() {
        return pool.state().map(PoolState::target).orElse(0) + machines;
    }

    int machines() {
        return machines;
    }

    /** How many the demand would have; more than are bought when there is no room. */
    int wanted() {
        return wanted;
    }

    /**
     * Requests machines, as far as there is room.
     *
     * @return how many of those wanted there is room for
     */
    int buy(int number) {
        int bought = Math.min(number, room());
        add(bought, number);
        return bought;
    }

    /** What was bought turned out not to be needed. */
    void giveBack(int number) {
        add(-number, -number);
    }

    private void add(int bought, int asked) {
        machines += bought;
        wanted += asked;
        journal.changed(() -> {
            machines -= bought;
            wanted -= asked;
        });
    }
}
