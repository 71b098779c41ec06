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
 * The number of machines that each pool may still lose in this round. After all removals, the pool keeps its minimum of machines that can
 * take pods, and its number of idle spare machines. The number of removals at a time is limited for each pool. A stuck removal counts
 * towards this limit only for a while, so that other removals continue. Not thread-safe; used for one round.
 */
final class Allowance {

    /**
     * How many machines of a pool may be removed at a time; in larger pools, a tenth of the machines. This limits the damage if the scaler
     * is wrong about which machines are idle.
     */
    private static final int AT_ONCE = 10;

    private static final int SHARE = 10;

    /**
     * How long a removal counts towards the limit after it began, and again after the machine's termination was requested. A removal that
     * takes longer is slow or stuck, and must not delay other removals.
     */
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

    /** @param verdicts the verdicts on all nodes, before any idle or little-used node is chosen for removal */
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

    /**
     * Whether pods can be placed on the machine. Only such machines count towards the pool's minimum. Machines that are cordoned, dead,
     * damaged or provisioning, or that have only stuck pods, do not count.
     */
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

    /** Whether the limit of removals at a time is reached. */
    boolean isUsedUp(PoolView pool) {
        return left(pool.name()).budget <= 0;
    }

    /** Records the removal of a machine that pods cannot use fully. Such a machine does not count towards the pool's minimum. */
    void takeUnusable(PoolView pool) {
        left(pool.name()).budget--;
    }

    /** Records the removal of a machine that pods can use. */
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
