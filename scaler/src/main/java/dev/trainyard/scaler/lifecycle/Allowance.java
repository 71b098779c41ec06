package dev.trainyard.scaler.lifecycle;

import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How many machines each pool may still lose in this round: never so many that fewer than its minimum can take pods, nor so many idle ones
 * that fewer than its spares are left, and not all at once, but always some: nodes whose removal is stuck hold up no others, least of all
 * another pool's. Not thread-safe; one for each round.
 */
final class Allowance {

    /** Should the scaler ever be wrong about what is idle, it is not wrong about everything at once. */
    private static final int AT_ONCE = 10;

    private static final int SHARE = 10;

    /** A removal that takes longer is no reason to hold up others: it is slow, or stuck. */
    private static final Duration RECENT = Duration.ofMinutes(1);

    private static final class Left {
        private int working;
        private int idle;
        private int budget;
    }

    private final Instant now;
    private final Map<String, Left> byPool = new HashMap<>();

    private Allowance(Instant now) {
        this.now = now;
    }

    /** @param verdicts of all nodes, before any is chosen to go */
    static Allowance of(Snapshot snapshot, List<Verdict> verdicts) {
        var allowance = new Allowance(snapshot.now());
        var sizes = new HashMap<String, Integer>();
        for (var verdict : verdicts) {
            var node = verdict.node();
            node.pool().ifPresent(pool -> {
                sizes.merge(pool.name(), 1, Integer::sum);
                allowance.count(allowance.left(pool.name()), verdict);
            });
        }
        sizes.forEach((pool, size) -> allowance.left(pool).budget += Math.max(AT_ONCE, (size + SHARE - 1) / SHARE));
        return allowance;
    }

    private void count(Left left, Verdict verdict) {
        if (isWorking(verdict)) {
            left.working++;
            left.idle += isIdle(verdict) ? 1 : 0;
        }
        left.budget -= isUnderWay(verdict) ? 1 : 0;
    }

    /** Machines that pods can be put on: those that an operator cordoned, that are dead, damaged, stuck or yet to come keep no minimum. */
    private static boolean isWorking(Verdict verdict) {
        var node = verdict.node();
        boolean stuck = node.trainingPods().isEmpty() && !node.stuckPods().isEmpty();
        return node.takesPods()
                && node.isComplete()
                && !node.foreign()
                && !stuck
                && !(verdict.step() instanceof Verdict.Delete);
    }

    private static boolean isIdle(Verdict verdict) {
        return verdict.state() == NodeState.GRACE_PERIOD
                || verdict.state() == NodeState.LAUNCH_HR_GRACE_PERIOD
                || verdict.state() == NodeState.IDLE_SCHEDULABLE;
    }

    private boolean isUnderWay(Verdict verdict) {
        var marks = verdict.node().marks();
        return isLeaving(verdict)
                && !isBlocked(verdict.node())
                && Stream.concat(marks.removal().map(Removal::since).stream(), marks.terminatingSince().stream())
                        .anyMatch(since -> now.isBefore(since.plus(RECENT)));
    }

    private boolean isBlocked(NodeView node) {
        return node.trainingPods().stream()
                .anyMatch(pod -> !pod.terminating() && pod.blocker(now).isPresent());
    }

    private static boolean isLeaving(Verdict verdict) {
        return switch (verdict.state()) {
            case IDLE_UNSCHEDULABLE, DRAINING, TERMINATING -> true;
            default -> false;
        };
    }

    boolean isAtMinimum(PoolView pool) {
        return left(pool.name()).working <= pool.least();
    }

    boolean isAtSpare(PoolView pool) {
        return left(pool.name()).idle <= pool.pool().spare();
    }

    /** Whether as many go already as may at a time. */
    boolean isUsedUp(PoolView pool) {
        return left(pool.name()).budget <= 0;
    }

    /** One of the pool's machines goes that keeps no minimum. */
    void takeUnusable(PoolView pool) {
        left(pool.name()).budget--;
    }

    /** One of the pool's machines goes. */
    void take(PoolView pool, boolean idle) {
        var left = left(pool.name());
        left.working--;
        left.idle -= idle ? 1 : 0;
        left.budget--;
    }

    private Left left(String pool) {
        return byPool.computeIfAbsent(pool, name -> new Left());
    }
}
