package dev.trainyard.scaler.lifecycle;

import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.provider.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Chooses which of the nodes that have been idle for long enough go in this round: the longest idle first, never below a pool's minimum or
 * its spare machines, and not all at once, but always some: nodes whose removal is stuck hold up no others, least of all another pool's.
 */
final class Selection {

    /** Should the scaler ever be wrong about what is idle, it is not wrong about everything at once. */
    private static final int AT_ONCE = 10;

    private static final int SHARE = 10;

    /** A removal that takes longer is no reason to hold up others: it is slow, or stuck. */
    private static final Duration RECENT = Duration.ofMinutes(1);

    private final Snapshot snapshot;

    Selection(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    List<Verdict> choose(List<Verdict> verdicts) {
        var budgets = new HashMap<String, Integer>();
        var candidates = verdicts.stream()
                .filter(verdict -> verdict.state() == NodeState.IDLE_SCHEDULABLE)
                .sorted(Comparator.comparing(this::idleSince)
                        .thenComparing(verdict -> verdict.node().name()))
                .toList();
        var floors = new HashMap<String, Floor>();
        var chosen = new HashMap<String, Verdict>();
        for (var candidate : candidates) {
            var pool = poolOf(candidate);
            var floor = floors.computeIfAbsent(pool.name(), name -> Floor.of(pool, verdicts));
            int budget = budgets.computeIfAbsent(pool.name(), name -> budget(name, verdicts));
            var decided = decide(candidate, pool, floor, budget);
            if (decided.step() instanceof Verdict.Cordon) {
                floors.put(pool.name(), floor.less());
                budgets.put(pool.name(), budget - 1);
            }
            chosen.put(candidate.node().name(), decided);
        }
        var result = new ArrayList<Verdict>();
        verdicts.forEach(
                verdict -> result.add(chosen.getOrDefault(verdict.node().name(), verdict)));
        return result;
    }

    private int budget(String pool, List<Verdict> verdicts) {
        var mine = verdicts.stream()
                .filter(verdict ->
                        verdict.node().pool().filter(p -> p.name().equals(pool)).isPresent())
                .toList();
        return Math.max(AT_ONCE, (mine.size() + SHARE - 1) / SHARE)
                - (int) mine.stream().filter(this::isUnderWay).count();
    }

    private boolean isUnderWay(Verdict verdict) {
        var marks = verdict.node().marks();
        boolean blocked = verdict.node().trainingPods().stream()
                .anyMatch(pod -> !pod.terminating() && pod.blocker().isPresent());
        return isLeaving(verdict)
                && !blocked
                && Stream.concat(marks.removal().map(Removal::since).stream(), marks.terminatingSince().stream())
                        .anyMatch(since -> snapshot.now().isBefore(since.plus(RECENT)));
    }

    private Verdict decide(Verdict candidate, PoolView pool, Floor floor, int budget) {
        var node = candidate.node();
        if (pool.state().isEmpty()) {
            return Verdict.keep(
                    node,
                    NodeState.IDLE_SCHEDULABLE,
                    candidate.reason() + "; kept while pool %s cannot be read".formatted(pool.name()));
        }
        if (floor.machines() <= pool.least()) {
            return Verdict.keep(
                    node,
                    NodeState.ASG_MIN_SIZE,
                    candidate.reason() + "; pool %s is at its minimum of %d".formatted(pool.name(), pool.least()));
        }
        if (floor.idle() <= pool.pool().spare()) {
            return Verdict.keep(
                    node,
                    NodeState.SPARE_AGENT,
                    candidate.reason()
                            + "; pool %s keeps %d spare"
                                    .formatted(pool.name(), pool.pool().spare()));
        }
        if (budget <= 0) {
            return Verdict.keep(
                    node, NodeState.IDLE_SCHEDULABLE, candidate.reason() + "; it goes when others have gone");
        }
        return Verdict.act(
                node,
                NodeState.IDLE_SCHEDULABLE,
                candidate.reason(),
                new Verdict.Cordon(new Removal(Removal.Reason.IDLE, snapshot.now())));
    }

    private PoolView poolOf(Verdict verdict) {
        return verdict.node()
                .pool()
                .map(pool -> snapshot.pools().get(pool.name()))
                .orElseThrow();
    }

    private Instant idleSince(Verdict verdict) {
        return verdict.node().marks().idleSince().orElse(snapshot.now());
    }

    private static boolean isLeaving(Verdict verdict) {
        return switch (verdict.state()) {
            case IDLE_UNSCHEDULABLE, DRAINING, TERMINATING -> true;
            default -> false;
        };
    }

    /**
     * What is left of a pool after the removals decided so far.
     *
     * @param machines that work or are being made
     * @param idle usable nodes that nobody uses
     */
    private record Floor(int machines, int idle) {

        static Floor of(PoolView pool, List<Verdict> verdicts) {
            Map<Boolean, List<Verdict>> mine = verdicts.stream()
                    .filter(verdict -> verdict.node()
                            .pool()
                            .filter(p -> p.name().equals(pool.name()))
                            .isPresent())
                    .collect(Collectors.partitioningBy(Selection::isLeaving));
            int present = (int) pool.state().stream()
                    .flatMap(state -> state.machines().stream())
                    .filter(machine -> machine.counts() && machine.state() != Machine.State.FAILED)
                    .count();
            int idle = (int) mine.getOrDefault(false, List.of()).stream()
                    .filter(verdict ->
                            verdict.state() == NodeState.GRACE_PERIOD || verdict.state() == NodeState.IDLE_SCHEDULABLE)
                    .count();
            int leaving = (int) mine.getOrDefault(true, List.of()).stream()
                    .filter(verdict -> pool.state().stream()
                            .flatMap(state -> state.machines().stream())
                            .anyMatch(machine ->
                                    machine.counts() && verdict.node().isOn(machine)))
                    .count();
            return new Floor(present - leaving, idle);
        }

        Floor less() {
            return new Floor(machines - 1, idle - 1);
        }
    }
}
