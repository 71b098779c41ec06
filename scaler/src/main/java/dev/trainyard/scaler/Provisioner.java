package dev.trainyard.scaler;

import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.Growth;
import dev.trainyard.scaler.plan.Offers;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.scaler.plan.Withdrawal;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.ProviderException;
import java.util.function.Function;

/** Plans and carries the plan out; plans again when a cloud refuses, so that the next pool is asked in the same round. */
final class Provisioner {

    private final Clouds clouds;
    private final Narrator narrator;
    private final ScalerMetrics metrics;
    private final Offers offers = new Offers();

    Provisioner(Clouds clouds, Narrator narrator, ScalerMetrics metrics) {
        this.clouds = clouds;
        this.narrator = narrator;
        this.metrics = metrics;
    }

    /**
     * What came of it.
     *
     * @param snapshot the one given, with what clouds accepted and refused meanwhile
     * @param plan the last one: its outcomes hold
     */
    record Provisioned(Snapshot snapshot, Plan plan) {}

    Provisioned provision(Snapshot observed) {
        var passedOver = offers.passedOver(observed.now());
        var provisioned = provision(observed, snapshot -> Planner.plan(snapshot, passedOver));
        offers.made(provisioned.plan(), observed.now());
        return provisioned;
    }

    private Provisioned provision(Snapshot observed, Function<Snapshot, Plan> planner) {
        var snapshot = observed;
        // Every turn but the last puts one more pool into back-off, and a pool that backs off is not asked.
        for (int turn = 0; turn <= observed.pools().size(); turn++) {
            var plan = metrics.timePlan(snapshot, planner);
            for (var withdrawal : plan.withdrawals()) {
                snapshot = withdraw(snapshot, withdrawal);
            }
            boolean refused = false;
            for (var growth : plan.growths()) {
                var before = pool(snapshot, growth);
                var after = grow(before, growth, plan, snapshot);
                refused |= after.ledger() != before.ledger();
                snapshot = snapshot.with(after);
            }
            if (!refused) {
                return new Provisioned(snapshot, plan);
            }
        }
        return new Provisioned(snapshot, metrics.timePlan(snapshot, planner));
    }

    private Snapshot withdraw(Snapshot snapshot, Withdrawal withdrawal) {
        try {
            clouds.withdraw(withdrawal.pool(), withdrawal.from(), withdrawal.to());
            narrator.withdrew(withdrawal);
            var pool = snapshot.pools().get(withdrawal.pool().name());
            return pool == null ? snapshot : snapshot.with(pool.withTarget(withdrawal.to()));
        } catch (ProviderException e) {
            narrator.notWithdrawn(withdrawal, e.kind() + ": " + e.words());
            return snapshot;
        }
    }

    private PoolView grow(PoolView pool, Growth growth, Plan plan, Snapshot snapshot) {
        try {
            clouds.grow(growth.pool(), growth.from(), growth.to());
            narrator.grew(growth, plan);
            return pool.withTarget(growth.to());
        } catch (ProviderException e) {
            narrator.notGrown(growth, e.kind() + ": " + e.words());
            var failed = pool.ledger().refused(new Failure(e.kind(), e.words(), snapshot.now()), snapshot.now());
            failed.backOff().ifPresent(backOff -> narrator.backsOff(pool.name(), backOff));
            return pool.withLedger(failed);
        }
    }

    private static PoolView pool(Snapshot snapshot, Growth growth) {
        var pool = snapshot.pools().get(growth.pool().name());
        if (pool == null) {
            throw new IllegalStateException("a plan names a pool that was not observed: " + growth);
        }
        return pool;
    }
}
