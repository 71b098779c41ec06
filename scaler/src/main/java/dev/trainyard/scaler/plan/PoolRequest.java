package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.provider.PoolState;

/** The number of new machines to request of one pool. The number changes during planning. */
final class PoolRequest {

    private final PoolView pool;
    private final UndoLog journal;
    private final int most;
    private int machines;
    private int wanted;

    PoolRequest(PoolView pool, UndoLog journal) {
        this.pool = pool;
        this.journal = journal;
        this.most = pool.room();
    }

    /** Returns how many more machines may be requested. */
    int room() {
        return most - machines;
    }

    /** Returns the pool's target including the new machines. */
    int target() {
        return pool.state().map(PoolState::target).orElse(0) + machines;
    }

    int machines() {
        return machines;
    }

    /** Returns how many new machines are needed; more than {@link #machines} if the pool's maximum is too low. */
    int wanted() {
        return wanted;
    }

    /**
     * Adds machines to the request, up to the pool's maximum.
     *
     * @return how many of these machines the maximum allows
     */
    int buy(int number) {
        int bought = Math.min(number, room());
        add(bought, number);
        return bought;
    }

    /** Removes machines that are not needed any more from the request. */
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
