package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.Machine;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/** The choice of idle nodes to remove in this round: the most expensive first, and among equal prices the longest idle. */
final class Selection {

    private final Snapshot snapshot;
    private final Allowance allowance;

    Selection(Snapshot snapshot, Allowance allowance) {
        this.snapshot = snapshot;
        this.allowance = allowance;
    }

    List<Verdict> choose(List<Verdict> verdicts) {
        var chosen = new HashMap<String, Verdict>();
        verdicts.stream()
                .filter(verdict -> verdict.state() == NodeState.IDLE_SCHEDULABLE)
                .sorted(Comparator.comparing((Verdict verdict) -> price(verdict.node()))
                        .reversed()
                        .thenComparing(this::idleSince)
                        .thenComparing(verdict -> verdict.node().name()))
                .forEach(candidate -> chosen.put(candidate.node().name(), decide(candidate)));
        return verdicts.stream()
                .map(verdict -> chosen.getOrDefault(verdict.node().name(), verdict))
                .toList();
    }

    private Verdict decide(Verdict candidate) {
        var node = candidate.node();
        var pool = poolOf(snapshot, node);
        if (pool.state().isEmpty()) {
            return candidate.because("kept while pool %s cannot be read".formatted(pool.name()));
        }
        if (!node.stuckPods().isEmpty() || !node.isComplete()) {
            return ofNoUse(candidate, pool);
        }
        if (allowance.isAtMinimum(pool)) {
            return Verdict.keep(node, NodeState.ASG_MIN_SIZE, candidate.reason() + "; " + atMinimum(pool));
        }
        if (allowance.isAtSpare(pool)) {
            return Verdict.keep(
                    node,
                    NodeState.SPARE_AGENT,
                    candidate.reason()
                            + "; pool %s keeps %d spare"
                                    .formatted(pool.name(), pool.pool().spare()));
        }
        var paid = paidUntil(node, pool, snapshot.now());
        if (paid.isPresent()) {
            return Verdict.keepUntil(
                    node,
                    NodeState.LAUNCH_HR_GRACE_PERIOD,
                    candidate.reason() + "; the machine is paid for and stays until " + paid.get(),
                    paid.get());
        }
        if (allowance.isUsedUp(pool)) {
            return candidate.because("the machine is removed later: the limit of removals at a time is reached");
        }
        allowance.take(pool, true);
        return Verdict.act(
                node,
                NodeState.IDLE_SCHEDULABLE,
                candidate.reason(),
                new Verdict.Cordon(new Removal(Removal.Reason.IDLE, snapshot.now())));
    }

    /**
     * Chooses to remove a damaged machine or a machine with a stuck pod, even if the pool is at its minimum. Pods cannot use such a machine
     * fully.
     */
    private Verdict ofNoUse(Verdict candidate, PoolView pool) {
        if (allowance.isUsedUp(pool)) {
            return candidate.because("the machine is removed later: the limit of removals at a time is reached");
        }
        allowance.takeUnusable(pool);
        return Verdict.act(
                candidate.node(),
                NodeState.IDLE_SCHEDULABLE,
                candidate.reason(),
                new Verdict.Cordon(new Removal(Removal.Reason.IDLE, snapshot.now())));
    }

    static String atMinimum(PoolView pool) {
        return "pool %s is at its minimum of %d".formatted(pool.name(), pool.least());
    }

    static PoolView poolOf(Snapshot snapshot, NodeView node) {
        return node.pool().map(pool -> snapshot.pools().get(pool.name())).orElseThrow();
    }

    /** Returns the hourly price. A pool without a price counts as free, so that machines with a known price are removed first. */
    static BigDecimal price(NodeView node) {
        return node.pool().flatMap(Pool::hourlyPrice).orElse(BigDecimal.ZERO);
    }

    /**
     * Returns when the last sixth of the current billing increment begins; empty if the last sixth has begun, or if the pool has no billing
     * increment. A sixth of an hour is ten minutes, as in the autoscalers that Trainyard replaces. This is enough time to drain the node
     * and to terminate the machine.
     */
    static Optional<Instant> paidUntil(NodeView node, PoolView pool, Instant now) {
        return pool.pool().billingIncrement().flatMap(increment -> {
            var since = pool.machineOf(node).map(Machine::since).orElse(node.created());
            long length = increment.toMillis();
            long into = Math.floorMod(now.toEpochMilli() - since.toEpochMilli(), length);
            long last = length - length / 6;
            return into < last ? Optional.of(now.plusMillis(last - into)) : Optional.empty();
        });
    }

    private Instant idleSince(Verdict verdict) {
        return verdict.node().idleSince().orElse(snapshot.now());
    }
}
