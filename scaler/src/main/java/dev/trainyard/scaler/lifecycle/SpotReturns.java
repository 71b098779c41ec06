package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.PlacementPolicy.Access;
import dev.trainyard.core.fit.Fit;
import dev.trainyard.core.pod.LabelRequirement;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.core.tier.Tier.ReturnToSpot;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.observe.ReturnAttempt;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.SpotReturn;
import dev.trainyard.scaler.observe.SpotReturn.Stage;
import dev.trainyard.scaler.plan.Exclusions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The return of pods from on-demand machines to spot machines of an earlier pool of their tier. A machine returns with all its pods or not at
 * all, so that it can be terminated afterwards. A return has three steps: the plan gets the pods as demand for the spot pools only; once
 * usable spot machines have room for all of them, the node gets the scaler's taint; then {@link Draining} evicts the pods. Each step follows
 * from the node's annotations and the plan, so that another scaler can continue.
 */
public final class SpotReturns {

    /**
     * The assumed time that a pod loses by its return, apart from its grace period. A Job controller waits for up to this time before it
     * creates an evicted pod again.
     */
    static final Duration RESTART = Duration.ofMinutes(10);

    /** The time for the other steps of a return, in addition to the provision timeout of the spot pool. */
    private static final Duration OTHER_STEPS = Duration.ofMinutes(5);

    private final Snapshot snapshot;
    private final Instant now;
    private final Map<String, Tier> tiers;
    private final Mobility mobility;
    private final List<SpotReturn> chosen = new ArrayList<>();
    /** By tier: how many pods are returning. */
    private final Map<String, Integer> pods = new HashMap<>();
    /** By on-demand pool: how many machines in service are to be emptied. */
    private final Map<String, Integer> machines = new HashMap<>();

    /** By tier: when the youngest pending pod was created. */
    private final Map<String, Instant> lastPending = new HashMap<>();
    /** Whether evicted pods of the last return may still be without a node. */
    private final boolean isSettling;
    /** The pools with machines that the cloud reclaims. */
    private final Set<String> reclaimed;

    private SpotReturns(Snapshot snapshot) {
        this.snapshot = snapshot;
        this.now = snapshot.now();
        this.tiers = snapshot.catalogue().tiers();
        this.mobility = new Mobility(snapshot);
        for (var pod : snapshot.demand()) {
            Optional.ofNullable(pod.shape().tier())
                    .ifPresent(tier ->
                            lastPending.merge(tier, pod.since(), (one, other) -> one.isAfter(other) ? one : other));
        }
        this.isSettling = snapshot.nodes().stream()
                .anyMatch(node -> isEmptied(node)
                        && !node.terminating()
                        && node.trainingPods().isEmpty()
                        && now.isBefore(node.idleSince().orElse(now).plus(Draining.DRAIN_TIMEOUT)));
        this.reclaimed = snapshot.nodes().stream()
                .filter(node -> node.reclaim().isPresent())
                .flatMap(node -> node.pool().stream())
                .map(Pool::name)
                .collect(Collectors.toSet());
    }

    /** Returns the snapshot with the pods that may return to spot machines, for the next plan. */
    public static Snapshot begin(Snapshot snapshot) {
        boolean concerned = snapshot.catalogue().tiers().values().stream()
                        .anyMatch(tier -> tier.returnToSpot().isPresent())
                || snapshot.nodes().stream().anyMatch(SpotReturns::isEmptied);
        return concerned ? snapshot.withReturning(new SpotReturns(snapshot).choose()) : snapshot;
    }

    private List<SpotReturn> choose() {
        snapshot.nodes().stream().filter(SpotReturns::isEmptied).forEach(this::goOnEmptying);
        snapshot.nodes().stream()
                .filter(node -> isRunning(node) && mayReturn(node))
                .sorted(Comparator.comparing((NodeView node) ->
                                node.marks().spotReturn().map(ReturnAttempt::at).orElse(now))
                        .thenComparing(NodeView::name))
                .forEach(this::goOn);
        snapshot.nodes().stream()
                .filter(node -> !isRunning(node) && mayReturn(node))
                .sorted(Comparator.comparing(Selection::price).reversed().thenComparing(NodeView::name))
                .forEach(this::beginAt);
        return chosen;
    }

    /** Keeps room on spot machines for the pods that are still to be evicted. */
    private void goOnEmptying(NodeView node) {
        count(node.trainingPods());
        var staying = node.trainingPods().stream()
                .filter(pod -> !pod.terminating() && pod.shape().isPresent())
                .toList();
        if (!staying.isEmpty()) {
            chosen.add(move(node, staying, since(node), pod -> named(earlier(pod, node))));
        }
    }

    private void goOn(NodeView node) {
        var since = since(node);
        boolean inTime = now.isBefore(PoolView.after(since, longest(node).plus(OTHER_STEPS)));
        boolean allowed = node.trainingPods().stream()
                .allMatch(pod -> hasTime(pod, Duration.ZERO)
                        && !since.isBefore(PoolView.after(pod.scheduled(), after(pod, tiers))));
        if (inTime && allowed && isWithinLimit(node)) {
            add(node, since, pod -> named(earlier(pod, node)));
        }
    }

    private void beginAt(NodeView node) {
        if (isSettling || !isWithinLimit(node)) {
            return;
        }
        boolean wanted = node.trainingPods().stream()
                .allMatch(pod -> !now.isBefore(earliest(pod, node))
                        && isAheadOfDeadline(pod)
                        && !available(pod, node).isEmpty());
        if (wanted && isWorthwhile(node) && mayAsk(node) && !isAtMinimum(node)) {
            add(node, now, pod -> named(available(pod, node)));
        }
    }

    private void add(NodeView node, Instant since, Function<PodOnNode, List<String>> pools) {
        if (mobility.obstacle(node.trainingPods()).isEmpty()) {
            count(node.trainingPods());
            node.pool().ifPresent(pool -> machines.merge(pool.name(), 1, Integer::sum));
            chosen.add(move(node, node.trainingPods(), since, pools));
        }
    }

    private void count(List<PodOnNode> returning) {
        mobility.leave(returning.stream().filter(pod -> !pod.terminating()).toList());
        returning.forEach(pod -> tier(pod, tiers).ifPresent(tier -> pods.merge(tier.name(), 1, Integer::sum)));
    }

    private static SpotReturn move(
            NodeView node, List<PodOnNode> returning, Instant since, Function<PodOnNode, List<String>> pools) {
        return new SpotReturn(
                node.name(),
                returning.stream()
                        .map(pod -> pending(pod, pools.apply(pod), since))
                        .toList(),
                Stage.UNPLANNED);
    }

    /** Returns the pod as demand for these pools only, which gets machines after all other demand. */
    private static PendingPod pending(PodOnNode pod, List<String> pools, Instant since) {
        var shape = pod.shape().orElseThrow().requiring(new LabelRequirement(Names.POOL, "In", pools));
        return new PendingPod(pod.uid(), pod.namespace(), pod.name(), shape, Integer.MIN_VALUE, since, true, "");
    }

    /** Whether the machine is in service, and all its pods belong to tiers whose pods return to spot machines. */
    private boolean mayReturn(NodeView node) {
        var training = node.trainingPods();
        boolean intact = node.takesPods()
                && node.exempt().isEmpty()
                && !node.foreign()
                && node.stuckPods().isEmpty()
                && node.pool().filter(pool -> !pool.isSpot()).isPresent();
        return intact
                && !training.isEmpty()
                && training.stream()
                        .allMatch(pod ->
                                !pod.terminating() && settings(pod, tiers).isPresent());
    }

    /** Returns when a return of the pod may begin: some time after the pod was placed, and after the last attempt failed. */
    private Instant earliest(PodOnNode pod, NodeView node) {
        var after = after(pod, tiers);
        var placed = PoolView.after(pod.scheduled(), after);
        return node.marks()
                .spotReturn()
                .map(failed -> failed.next(after))
                .filter(placed::isBefore)
                .orElse(placed);
    }

    /** Whether the pods have enough time left, and no other pod of their tiers waits for a machine. */
    private boolean isWorthwhile(NodeView node) {
        var longest = longest(node);
        return node.trainingPods().stream()
                .allMatch(pod -> hasTime(pod, longest)
                        && tier(pod, tiers)
                                .map(tier -> lastPending.get(tier.name()))
                                .filter(since -> now.isBefore(PoolView.after(since, longest)))
                                .isEmpty());
    }

    /** Whether the pod's remaining time is worth the move. */
    private boolean hasTime(PodOnNode pod, Duration boot) {
        return pod.deadline()
                .map(end -> now.plus(boot).plus(pod.grace()).plus(RESTART).isBefore(end))
                .orElse(true);
    }

    /** Whether a return keeps the deadline that the pod states. {@link Mobility} checks this again until the node is cordoned. */
    private boolean isAheadOfDeadline(PodOnNode pod) {
        return snapshot.deadlines()
                .of(pod.uid())
                .map(policy -> policy.mayReturnToSpot(now))
                .orElse(true);
    }

    private boolean isWithinLimit(NodeView node) {
        var more = node.trainingPods().stream()
                .flatMap(pod -> tier(pod, tiers).stream())
                .collect(Collectors.groupingBy(Tier::name, Collectors.summingInt(pod -> 1)));
        return more.entrySet().stream()
                .allMatch(entry -> pods.getOrDefault(entry.getKey(), 0) + entry.getValue()
                        <= Optional.ofNullable(tiers.get(entry.getKey()))
                                .flatMap(Tier::returnToSpot)
                                .map(ReturnToSpot::atMost)
                                .orElse(0));
    }

    private boolean isAtMinimum(NodeView node) {
        var pool = Selection.poolOf(snapshot, node);
        long working = snapshot.stayingOf(pool.name()).stream()
                .filter(NodeView::takesPods)
                .count();
        return working - machines.getOrDefault(pool.name(), 0) <= pool.least();
    }

    /**
     * Whether the pools may be asked for one more machine. While it is unknown whether a pool has recovered from its last failure, one
     * machine at a time returns, as a canary.
     */
    private boolean mayAsk(NodeView node) {
        return chosen.isEmpty()
                || node.trainingPods().stream()
                        .flatMap(pod -> available(pod, node).stream())
                        .allMatch(pool -> pool.ledger().backOff().isEmpty());
    }

    /** Returns the spot pools that the pod's tier prefers to the node's pool, and whose machines can run the pod, as far as is known. */
    private List<PoolView> earlier(PodOnNode pod, NodeView node) {
        var tier = tier(pod, tiers);
        var from = node.pool()
                .filter(pool -> tier.filter(of -> of.pools().contains(pool)).isPresent());
        if (tier.isEmpty() || from.isEmpty()) {
            return List.of();
        }
        int rank = tier.get().rank(from.get().name());
        return tier.get().pools().stream()
                .filter(pool -> tier.get().rank(pool.name()) < rank)
                .flatMap(pool -> Optional.ofNullable(snapshot.pools().get(pool.name())).stream())
                .filter(pool -> pool.pool().isSpot() && canRun(pool, pod))
                .toList();
    }

    private boolean canRun(PoolView pool, PodOnNode pod) {
        return pod.shape()
                .filter(shape -> Fit.checkEmpty(shape, pool.template()).isEmpty()
                        && snapshot.catalogue().policy().access(shape, Optional.of(pool.pool()), pool.template())
                                == Access.ALLOWED
                        && !Exclusions.isExcluded(shape, pod.uid(), pool, snapshot))
                .isPresent();
    }

    /**
     * Returns the earlier spot pools that have had no failure for a while, and have a free machine or may get one. Pools with machines that
     * the cloud reclaims are left out.
     */
    private List<PoolView> available(PodOnNode pod, NodeView node) {
        var quiet = after(pod, tiers);
        return earlier(pod, node).stream()
                .filter(pool -> pool.state().isPresent() && !pool.backsOff(now) && !reclaimed.contains(pool.name()))
                .filter(pool -> !now.isBefore(PoolView.after(pool.ledger().heededUntil(), quiet)))
                .filter(pool -> pool.room() > 0
                        || snapshot.nodesOf(pool.name()).stream().anyMatch(NodeView::isFree))
                .toList();
    }

    private static List<String> named(List<PoolView> pools) {
        return pools.stream().map(PoolView::name).toList();
    }

    /** Returns the longest time in which a machine for one of the node's pods is usable or given up. */
    private Duration longest(NodeView node) {
        return node.trainingPods().stream()
                .flatMap(pod -> earlier(pod, node).stream())
                .map(pool -> pool.pool().provisionTimeout())
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    private Instant since(NodeView node) {
        return node.marks()
                .removal()
                .map(Removal::since)
                .or(() -> node.marks().spotReturn().map(ReturnAttempt::at))
                .orElse(now);
    }

    private static boolean isRunning(NodeView node) {
        return node.marks().spotReturn().filter(ReturnAttempt::running).isPresent();
    }

    private static boolean isEmptied(NodeView node) {
        return node.leaveNotice().isEmpty()
                && node.exempt().isEmpty()
                && node.pool().isPresent()
                && node.marks()
                        .removal()
                        .filter(removal -> removal.reason() == Removal.Reason.RETURN_TO_SPOT)
                        .isPresent();
    }

    private static Optional<Tier> tier(PodOnNode pod, Map<String, Tier> tiers) {
        return pod.shape().map(PodShape::tier).map(tiers::get);
    }

    private static Optional<ReturnToSpot> settings(PodOnNode pod, Map<String, Tier> tiers) {
        return tier(pod, tiers).flatMap(Tier::returnToSpot);
    }

    /** Returns how long a pod of this tier stays on its on-demand machine at least. */
    static Duration after(PodOnNode pod, Map<String, Tier> tiers) {
        return settings(pod, tiers).map(ReturnToSpot::after).orElse(Duration.ZERO);
    }

    /** Whether pods of the node are to return to spot machines, but these machines are not usable or have no room for them. */
    static boolean isWithoutPlace(NodeView node, Snapshot snapshot) {
        return snapshot.returningFrom(node)
                .filter(move -> move.stage() == Stage.PROVISIONING || move.stage() == Stage.REFUSED)
                .isPresent();
    }

    /** Returns the attempt to annotate on the node after this round's plan; empty for none. */
    static Optional<ReturnAttempt> attempt(NodeView node, Snapshot snapshot) {
        var noted = node.marks().spotReturn();
        var now = snapshot.now();
        if (node.marks().removal().isPresent()) {
            // If somebody cancels the removal, the attempt has failed. Otherwise the node goes.
            return isEmptied(node) && isRunning(node) ? Optional.of(ReturnAttempt.failed(noted, now)) : noted;
        }
        if (node.trainingPods().isEmpty()) {
            return Optional.empty();
        }
        var move = snapshot.returningFrom(node);
        if (move.filter(chosen -> chosen.stage() != Stage.REFUSED).isPresent()) {
            return isRunning(node) ? noted : Optional.of(ReturnAttempt.begun(noted, now));
        }
        return move.isPresent() || isRunning(node) ? Optional.of(ReturnAttempt.failed(noted, now)) : noted;
    }

    /** Returns the verdicts, changed for the nodes whose pods return: a node is cordoned once usable spot machines have room for its pods. */
    static List<Verdict> choose(
            Snapshot snapshot, Set<String> reserved, Allowance allowance, Mobility mobility, List<Verdict> verdicts) {
        if (snapshot.returning().isEmpty()) {
            return verdicts;
        }
        return verdicts.stream()
                .map(verdict ->
                        verdict.step() instanceof Verdict.Keep && verdict.node().stays()
                                ? snapshot.returningFrom(verdict.node())
                                        .map(move -> decide(verdict, move, snapshot, reserved, allowance, mobility))
                                        .orElse(verdict)
                                : verdict)
                .toList();
    }

    private static Verdict decide(
            Verdict verdict,
            SpotReturn move,
            Snapshot snapshot,
            Set<String> reserved,
            Allowance allowance,
            Mobility mobility) {
        var node = verdict.node();
        var pool = Selection.poolOf(snapshot, node);
        if (move.stage() != Stage.READY) {
            return move.stage() == Stage.PROVISIONING
                    ? verdict.because("its pods return to spot once a machine is usable")
                    : verdict;
        }
        if (reserved.contains(node.name())) {
            return verdict.because("its pods return to spot later: the node is reserved for pending pods");
        }
        if (allowance.isAtMinimum(pool)) {
            return verdict.because("its pods do not return to spot: " + Selection.atMinimum(pool));
        }
        if (allowance.isUsedUp(pool)) {
            return verdict.because("its pods return to spot later: the limit of removals at a time is reached");
        }
        allowance.take(pool, false);
        mobility.leave(node.trainingPods());
        return Verdict.act(
                node,
                NodeState.BUSY,
                "usable spot machines have room for all its pods",
                new Verdict.Cordon(new Removal(Removal.Reason.RETURN_TO_SPOT, snapshot.now())));
    }
}
