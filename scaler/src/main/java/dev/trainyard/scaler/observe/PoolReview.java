package dev.trainyard.scaler.observe;

import dev.trainyard.core.Durations;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.scaler.ledger.Breakdown;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.ledger.Setback;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A review of pools. Combines a pool's reading, its nodes and its ledger (the scaler's record of the pool). Starts a back-off after new
 * failures.
 */
final class PoolReview {

    /** Labels that Kubernetes' cloud controllers set on nodes. */
    private static final String INSTANCE_TYPE = "node.kubernetes.io/instance-type";

    private static final String ZONE = "topology.kubernetes.io/zone";

    private final Catalogue catalogue;
    private final Instant now;
    private final List<NodeView> all;
    private final List<Daemon> daemons;

    /**
     * @param all the nodes of all pools and the nodes without a pool, since a machine's node may be assigned to another pool
     * @param daemons pods of DaemonSets, which take resources of new machines
     */
    PoolReview(Catalogue catalogue, Instant now, List<NodeView> all, List<Daemon> daemons) {
        this.catalogue = catalogue;
        this.now = now;
        this.all = all;
        this.daemons = daemons;
    }

    /** @param nodes the pool's nodes */
    PoolView review(Pool pool, PoolReading reading, PoolLedger remembered, List<NodeView> nodes) {
        var noted = withLabels(remembered.asOf(now), nodes);
        var template = Templates.correct(pool, nodes, daemons);
        var deliveryTimeout = deliveryTimeout(pool);
        if (reading.state().isEmpty()) {
            var ledger = noted.unread(now);
            return PoolView.unread(pool, reading.problem(), ledger, template, deliveryTimeout, toCome(ledger, nodes));
        }
        var state = reading.state().get();
        var withoutNode = withoutNode(state, all);
        var withNode = ids(without(state, withoutNode));
        // A machine that has lost its node does not count as owed by the cloud. So the ledger must record the lost
        // machines before the owed machines are counted.
        var listed = ids(state.machines());
        var removed = removedByScaler(state, noted, nodes);
        var before = noted.machines(listed, withNode, removed, now);
        int owed = new PoolView(pool, state, before, template, withoutNode, deliveryTimeout).owed();
        var recovered = noted.read(owed, withNode, now)
                .machines(listed, withNode, removed, now)
                .recovered(state.machines(), usable(state, nodes), now);
        var ledger = withBreakdowns(recovered, state, nodes);
        var current = new PoolView(pool, state, ledger, template, withoutNode, deliveryTimeout);
        var answered = ledger.failed(setbacks(current, state, nodes), now);
        return current.withLedger(current.overdue(now) ? answered.restartDebt(now) : answered);
    }

    /** Adds the labels of nodes in service to the ledger. Skips nodes that joined a moment ago, since these may get more labels. */
    private PoolLedger withLabels(PoolLedger ledger, List<NodeView> nodes) {
        var settled = nodes.stream().filter(node -> node.hasSettled(now)).toList();
        var labels = settled.stream()
                .flatMap(node -> node.shape().labels().keySet().stream())
                .collect(Collectors.toSet());
        return settled.stream()
                .map(node -> node.settledAt(now))
                .max(Instant::compareTo)
                .map(at -> ledger.seen(labels, at))
                .orElse(ledger);
    }

    /**
     * Returns the machines that the scaler has decided to remove: their nodes are marked for another reason than an announced
     * reclaim, or have been gone for so long that the machines are given up.
     */
    private Set<String> removedByScaler(PoolState state, PoolLedger ledger, List<NodeView> nodes) {
        var removed = new HashSet<String>();
        nodes.stream()
                .filter(NodeView::isRemovedByChoice)
                .flatMap(node -> state.machines().stream().filter(node::isOn))
                .forEach(machine -> removed.add(machine.id()));
        state.machines().stream()
                .filter(machine -> machine.state() == Machine.State.RUNNING
                        && ledger.nodes().isGivenUp(machine.id(), now))
                .forEach(machine -> removed.add(machine.id()));
        return removed;
    }

    private PoolLedger withBreakdowns(PoolLedger before, PoolState state, List<NodeView> nodes) {
        var sick = new HashMap<String, Breakdown>();
        for (var node : nodes) {
            node.notice()
                    .filter(NodeNotice::isSick)
                    .ifPresent(notice -> state.machines().stream()
                            .filter(node::isOn)
                            .findFirst()
                            .ifPresent(machine -> sick.put(machine.id(), breakdown(node, notice))));
        }
        return before.sick(sick, now);
    }

    private static Breakdown breakdown(NodeView node, NodeNotice notice) {
        var labels = node.shape().labels();
        return new Breakdown(notice.deadline(), labels.getOrDefault(INSTANCE_TYPE, ""), labels.getOrDefault(ZONE, ""));
    }

    /** Returns the view of a pool that could not be evaluated. The pool's promise is the only known fact about its nodes. */
    PoolView unread(Pool pool, String problem, PoolLedger before) {
        return PoolView.unread(
                pool, Optional.of(problem), before.unread(now), pool.promise(), pool.provisionTimeout(), 0);
    }

    /** Returns how many machines that were provisioning at the last successful read still have no node. */
    private int toCome(PoolLedger ledger, List<NodeView> nodes) {
        var since = ledger.unreadSince().orElse(Instant.MAX);
        long joined = nodes.stream()
                .filter(node -> node.registering() || (node.usable() && wasNotUsable(node, since)))
                .count();
        return (int) Math.max(0, ledger.upcoming() - joined);
    }

    /**
     * Whether the node became usable after the given time. A node without an annotation of the time counts as usable only since now. The
     * exception is an exempt node, which is never annotated: the time of its creation decides. If the annotated time is in the future, the
     * result is false: the clock was set back after the annotation, so the time is wrong.
     */
    private boolean wasNotUsable(NodeView node, Instant then) {
        var since = node.marks().usableSince();
        return since.isPresent()
                ? !since.get().isBefore(then) && !since.get().isAfter(now)
                : node.exempt().isEmpty() || node.created().isAfter(then);
    }

    private List<Setback> setbacks(PoolView pool, PoolState state, List<NodeView> nodes) {
        var setbacks = state.failures().stream().map(Setback::of).collect(Collectors.toCollection(ArrayList::new));
        if (pool.overdue(now)) {
            setbacks.add(Setback.once(overdue(pool)));
        }
        for (var machine : state.machines()) {
            boolean lost = pool.ledger().nodes().isLost(machine.id());
            if (machine.state() != Machine.State.RUNNING || now.isBefore(pool.launchDeadline(machine)) || lost) {
                continue;
            }
            var node = nodes.stream().filter(n -> n.isOn(machine)).findFirst();
            // An exempt node does not count as a failed launch, since the scaler never gives the node up.
            if (node.map(n -> n.exempt().isEmpty() && n.registering() && isLate(n, pool, machine))
                    .orElse(true)) {
                var failure = new Failure(
                        FailureKind.LAUNCH_TIMEOUT,
                        "machine %s was not usable within %s: %s"
                                .formatted(
                                        machine.id(),
                                        Durations.format(pool.pool().provisionTimeout()),
                                        lacking(node)),
                        pool.launchDeadline(machine));
                setbacks.add(new Setback(failure, machine.since(), true));
            }
        }
        nodes.forEach(node -> brokeAtOnce(pool, node, state).ifPresent(setbacks::add));
        return setbacks;
    }

    /**
     * Returns the failure of a launch whose machine broke soon after it was usable; empty for any other node. The back-off prevents that the
     * pool replaces such machines without end.
     */
    private static Optional<Setback> brokeAtOnce(PoolView pool, NodeView node, PoolState state) {
        var tolerated = pool.pool().provisionTimeout();
        return node.notice()
                .filter(NodeNotice::isSick)
                .flatMap(notice -> state.machines().stream()
                        .filter(machine -> machine.state() == Machine.State.RUNNING && node.isOn(machine))
                        .filter(machine -> notice.since()
                                .isBefore(pool.launchDeadline(machine).plus(tolerated)))
                        .findFirst()
                        .map(machine -> new Setback(
                                new Failure(
                                        FailureKind.LAUNCH_TIMEOUT,
                                        "machine %s broke soon after its launch: %s".formatted(machine.id(), notice),
                                        notice.deadline()),
                                machine.since(),
                                true)));
    }

    /**
     * Returns the failure of a pool whose requested machines have not joined in time. A running machine without a node counts as not
     * joined, since it does not help pending pods.
     */
    private Failure overdue(PoolView pool) {
        var deliveryTimeout = Durations.format(pool.deliveryTimeout());
        var at = pool.overdueAt().orElse(now);
        if (!pool.lacksMachines()) {
            return new Failure(
                    FailureKind.LAUNCH_TIMEOUT,
                    "no node joined within %s of the request, although machines run".formatted(deliveryTimeout),
                    at);
        }
        return new Failure(
                pool.pool().isSpot() ? FailureKind.SPOT_CAPACITY : FailureKind.CAPACITY,
                "the cloud delivered no machine within %s of the request".formatted(deliveryTimeout),
                at);
    }

    private boolean isLate(NodeView node, PoolView pool, Machine machine) {
        var deadline =
                node.launchDeadline(pool.launchDeadline(machine), pool.pool().provisionTimeout(), now);
        return !now.isBefore(deadline);
    }

    private static String lacking(Optional<NodeView> node) {
        return node.map(n -> "its node was not " + n.lacking().orElse("usable")).orElse("its node never joined");
    }

    private static List<Machine> usable(PoolState state, List<NodeView> nodes) {
        return without(
                state,
                withoutNode(
                        state,
                        nodes.stream()
                                .filter(node -> node.usable() && !node.isSick())
                                .toList()));
    }

    private static List<Machine> without(PoolState state, List<Machine> missing) {
        return state.machines().stream()
                .filter(machine -> !missing.contains(machine))
                .toList();
    }

    private static Set<String> ids(List<Machine> machines) {
        return machines.stream().map(Machine::id).collect(Collectors.toSet());
    }

    private static List<Machine> withoutNode(PoolState state, List<NodeView> nodes) {
        var providerIds = new HashSet<String>();
        var names = new HashSet<String>();
        for (var node : nodes) {
            names.add(node.name());
            if (node.providerId() != null) {
                providerIds.add(node.providerId().toLowerCase(Locale.ROOT));
            }
        }
        return state.machines().stream()
                .filter(machine -> !providerIds.contains(machine.providerId().toLowerCase(Locale.ROOT))
                        && !(machine.nodeName() != null && names.contains(machine.nodeName())))
                .toList();
    }

    /**
     * Returns how long a requested machine may have no node: at most the pool's provisioning timeout. If a tier has another pool after this
     * one, or one that is equally preferred, the time is at most the tier's {@code fallbackAfter}.
     */
    private Duration deliveryTimeout(Pool pool) {
        return catalogue.tiers().values().stream()
                .filter(tier -> hasFallback(tier, pool))
                .map(Tier::fallbackAfter)
                .filter(after -> after.compareTo(pool.provisionTimeout()) < 0)
                .min(Duration::compareTo)
                .orElse(pool.provisionTimeout());
    }

    private static boolean hasFallback(Tier tier, Pool pool) {
        return tier.pools().contains(pool)
                && tier.pools().stream()
                        .anyMatch(other -> !other.equals(pool) && tier.rank(other.name()) >= tier.rank(pool.name()));
    }
}
