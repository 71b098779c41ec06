package dev.trainyard.scaler.loop;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.calls.CallOutcome;
import dev.trainyard.scaler.calls.Clouds;
import dev.trainyard.scaler.calls.PoolCall;
import dev.trainyard.scaler.metrics.ScalerMetrics;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.Exclusions;
import dev.trainyard.scaler.plan.Growth;
import dev.trainyard.scaler.plan.Mismatch;
import dev.trainyard.scaler.plan.Offers;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.scaler.plan.Withdrawal;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.report.RoundReporter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Function;

/**
 * The stage of a round that plans and requests machines. If a cloud refuses a request, the stage plans again, so that the next pool is
 * tried in the same round.
 */
final class Provisioner {

    private static final CallOutcome NOT_ANNOUNCED = new CallOutcome.Open(
            "the request was not sent, because it could not be recorded in the status of the TrainingPool", false);

    private static final String LAST_SCALERS =
            "the previous leader announced a request that the cloud does not show yet";

    private final Clouds clouds;
    private final RoundReporter reporter;
    private final ScalerMetrics metrics;
    private final int priorityCutoff;
    private final Offers offers = new Offers();
    private final Exclusions exclusions = new Exclusions();

    /** @param priorityCutoff the lowest pod priority for which machines are requested */
    Provisioner(Clouds clouds, RoundReporter reporter, ScalerMetrics metrics, int priorityCutoff) {
        this.clouds = clouds;
        this.reporter = reporter;
        this.metrics = metrics;
        this.priorityCutoff = priorityCutoff;
    }

    /**
     * The result of provisioning.
     *
     * @param snapshot the given snapshot, updated with the requests that clouds accepted or refused
     * @param plan the last plan, which replaces the earlier plans of the round
     */
    record Provisioned(Snapshot snapshot, Plan plan) {}

    /** A store that records requests before they are sent. */
    interface OrderBook {

        /**
         * Records the state of the pools, so that the state survives an interrupted round. Called before the first request and after each
         * answer of a cloud.
         */
        void known(Snapshot snapshot);

        /**
         * Records a request before it is sent. If another scaler takes over before the answer, that scaler then knows of the request.
         *
         * @param target the pool's number of machines after the request
         * @param upcoming the number of provisioning machines of the pool, including those of the request
         * @return false if the request could not be recorded; the request must then not be sent, since no other scaler would know of it
         */
        boolean announce(String pool, int target, int upcoming);
    }

    /** Plans for the pending pods and requests the planned machines. */
    Provisioned provision(Snapshot observed, OrderBook book) {
        var readmitted = exclusions.readmit(observed);
        book.known(readmitted);
        var passedOver = offers.passedOver(observed.now());
        var provisioned = provision(readmitted, book, snapshot -> Planner.plan(snapshot, passedOver, priorityCutoff));
        var news = offers.made(provisioned.plan(), provisioned.snapshot());
        var snapshot = Exclusions.passedOver(provisioned.snapshot(), news);
        exclusions.waiting(snapshot);
        book.known(snapshot);
        return new Provisioned(snapshot, provisioned.plan());
    }

    private Provisioned provision(Snapshot observed, OrderBook book, Function<Snapshot, Plan> planner) {
        var turn = Turn.first(observed);
        // Each failed attempt excludes at least one more pool from later plans, so the number of pools limits the
        // attempts.
        for (int turns = 0; turns <= observed.pools().size(); turns++) {
            var planned = plan(turn, planner, book);
            if (turns == 0) {
                reporter.phases().scalingUpBegins(observed, planned.plan());
            }
            turn = carryOut(planned.plan(), planned.turn(), book);
            if (turn.holds()) {
                return new Provisioned(turn.result(), planned.plan());
            }
        }
        var last = plan(turn, planner, book);
        return new Provisioned(last.turn().result(), last.plan());
    }

    private record Planned(Turn turn, Plan plan) {}

    /**
     * Makes a plan. If a machine does not help the pods that it joined for, the plan contains a {@link Mismatch}. The stage then records
     * the mismatch and plans again.
     */
    private Planned plan(Turn before, Function<Snapshot, Plan> planner, OrderBook book) {
        var turn = before;
        var plan = metrics.timePlan(turn.planning(), planner);
        for (int pools = turn.planning().pools().size();
                pools >= 0 && !plan.mismatches().isEmpty();
                pools--) {
            turn = turn.remember(plan.mismatches());
            book.known(turn.result());
            plan = metrics.timePlan(turn.planning(), planner);
        }
        return new Planned(turn, plan.withoutMismatches());
    }

    /**
     * An intermediate state of provisioning.
     *
     * @param planning the snapshot for the next plan. The state of a pool with an unanswered request is unknown in this snapshot
     * @param result the snapshot to report. An unanswered request only changes the number of awaited machines in this snapshot
     * @param holds whether the clouds accepted every request for machines in the last plan
     */
    private record Turn(Snapshot planning, Snapshot result, boolean holds) {

        Turn with(PoolView pool) {
            return new Turn(planning.with(pool), result.with(pool), holds);
        }

        /** Returns the state before the first plan. Requests of the previous leader count as unanswered. */
        static Turn first(Snapshot observed) {
            var planning = observed;
            for (var pool : observed.pools().values()) {
                if (pool.state().isPresent() && pool.remembered() > 0) {
                    planning = planning.with(pool.unknown(LAST_SCALERS, observed.now(), pool.remembered()));
                }
            }
            return new Turn(planning, observed, true);
        }

        /** @param ordered the number of machines that may still join because of the unanswered request */
        Turn without(PoolView pool, CallOutcome.Open why, int ordered) {
            var asked = why.ordinary() ? pool.withLedger(pool.ledger().unread(planning.now())) : pool;
            return new Turn(
                    planning.with(asked.unknown(why.words(), planning.now(), ordered)),
                    result.with(pool.awaiting(ordered)),
                    false);
        }

        Turn remember(List<Mismatch> mismatches) {
            return new Turn(Exclusions.remember(planning, mismatches), Exclusions.remember(result, mismatches), holds);
        }

        Turn failed() {
            return new Turn(planning, result, false);
        }
    }

    /** Sends the requests of all pools, and then waits for the answers, so that a slow cloud does not delay requests to other clouds. */
    private Turn carryOut(Plan plan, Turn before, OrderBook book) {
        var announced = plan.growths().stream()
                .filter(growth -> announce(growth, before.result(), book))
                .toList();
        var withdrawals = new LinkedHashMap<Withdrawal, PoolCall>();
        for (var withdrawal : plan.withdrawals()) {
            withdrawals.put(withdrawal, clouds.withdraw(withdrawal.pool(), withdrawal.from(), withdrawal.to()));
        }
        var growths = new LinkedHashMap<Growth, PoolCall>();
        for (var growth : announced) {
            growths.put(growth, clouds.grow(growth.pool(), growth.from(), growth.to()));
        }
        var turn = new Turn(before.planning(), before.result(), true);
        for (var withdrawal : withdrawals.entrySet()) {
            turn = withdrew(turn, withdrawal.getKey(), clouds.answer(withdrawal.getValue()));
            book.known(turn.result());
        }
        for (var growth : plan.growths()) {
            var order = growths.get(growth);
            turn = grew(turn, growth, order == null ? NOT_ANNOUNCED : clouds.answer(order), plan);
            book.known(turn.result());
        }
        return turn;
    }

    private static boolean announce(Growth growth, Snapshot known, OrderBook book) {
        var pool = pool(known, growth.pool());
        int upcoming = known.upcoming(pool) + pool.remembered() + growth.to() - growth.from();
        return book.announce(pool.name(), growth.to(), upcoming);
    }

    private Turn withdrew(Turn turn, Withdrawal withdrawal, CallOutcome answer) {
        var pool = pool(turn.planning(), withdrawal.pool());
        if (answer instanceof CallOutcome.Accepted) {
            reporter.withdrew(withdrawal);
            return turn.with(pool.withTarget(withdrawal.to()));
        }
        reporter.notWithdrawn(withdrawal, answer.reason());
        return turn;
    }

    private Turn grew(Turn turn, Growth growth, CallOutcome answer, Plan plan) {
        var pool = pool(turn.planning(), growth.pool());
        var now = turn.planning().now();
        if (answer instanceof CallOutcome.Accepted) {
            reporter.grew(growth, plan);
            return turn.with(pool.withTarget(growth.to()));
        }
        reporter.notGrown(growth, answer);
        if (answer instanceof CallOutcome.Refused refused) {
            var failed = pool.ledger().refused(new Failure(refused.kind(), refused.words(), now), now);
            failed.backOff().ifPresent(backOff -> {
                reporter.backsOff(pool.name(), backOff);
                metrics.backedOff(pool.name(), backOff.kind());
            });
            return turn.with(pool.withLedger(failed)).failed();
        }
        var open = (CallOutcome.Open) answer;
        return turn.without(pool, open, open.underWay() ? growth.to() - growth.from() : 0);
    }

    private static PoolView pool(Snapshot snapshot, Pool named) {
        var pool = snapshot.pools().get(named.name());
        if (pool == null) {
            throw new IllegalStateException("a plan names a pool that was not observed: " + named.name());
        }
        return pool;
    }
}
