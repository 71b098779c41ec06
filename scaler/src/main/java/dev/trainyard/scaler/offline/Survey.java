package dev.trainyard.scaler.offline;

import dev.trainyard.core.Names;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.scaler.ledger.LedgerStatus;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.ledger.Reliability;
import dev.trainyard.scaler.lifecycle.Lifecycle;
import dev.trainyard.scaler.lifecycle.NodeState;
import dev.trainyard.scaler.lifecycle.SpotReturns;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.observe.KubernetesObjects;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PoolReading;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.ProgressMemory;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.SnapshotReader;
import dev.trainyard.scaler.offline.ClusterStatus.BackOffLine;
import dev.trainyard.scaler.offline.ClusterStatus.MachineLine;
import dev.trainyard.scaler.offline.ClusterStatus.PoolLine;
import dev.trainyard.scaler.offline.ClusterStatus.WaitingLine;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.plan.Planner;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A report on the state of a cluster. Any client that may read the cluster's objects can make the report. A client runs the scaler's own
 * decision code to find out why nodes stay and why pods are pending, so the scaler does not have to store these reasons. A client uses the
 * statuses of pools in place of answers of clouds. A pure function.
 */
public final class Survey {

    private final Snapshot snapshot;
    private final Plan plan;
    private final List<Verdict> verdicts;
    private final boolean ofARound;

    /** @param ofARound whether the plan is from a round of the scaler; otherwise a client made the plan, with less information */
    private Survey(Snapshot snapshot, Plan plan, List<Verdict> verdicts, boolean ofARound) {
        this.snapshot = snapshot;
        this.plan = plan;
        this.verdicts = verdicts;
        this.ofARound = ofARound;
    }

    /** Returns the state of the cluster after a round of the scaler. */
    public static ClusterStatus of(Snapshot snapshot, Plan plan, List<Verdict> verdicts) {
        return new Survey(snapshot, plan, verdicts, true).standing(List.of());
    }

    /**
     * Returns the state of the cluster as seen by a client.
     *
     * @param remarks remarks on parts of the cluster that the client has no permission to read
     */
    public static ClusterStatus of(
            Instant now,
            Catalogue catalogue,
            Collection<TrainingPool> pools,
            KubernetesObjects objects,
            List<String> remarks) {
        var ledgers = new HashMap<String, PoolLedger>();
        pools.forEach(pool -> ledgers.put(pool.getMetadata().getName(), LedgerStatus.read(pool.getStatus())));
        var read = new SnapshotReader(Names.NAMESPACE)
                .read(now, catalogue, objects, readings(now, catalogue, pools, objects), ledgers);
        var observed = SpotReturns.begin(new ProgressMemory(System::nanoTime).on(read, objects.pods()));
        var plan = Planner.plan(observed);
        var snapshot = plan.staged(observed);
        return new Survey(snapshot, plan, Lifecycle.judge(snapshot, plan.reserved()), false).standing(remarks);
    }

    private static Map<String, PoolReading> readings(
            Instant now, Catalogue catalogue, Collection<TrainingPool> pools, KubernetesObjects objects) {
        var readings = new HashMap<>(OfflineClouds.read(catalogue, pools, objects.nodes(), now));
        pools.forEach(pool -> readings.computeIfPresent(
                pool.getMetadata().getName(), (name, reading) -> withMachinesToCome(pool, reading, now)));
        pools.forEach(pool -> unread(pool)
                .ifPresent(problem -> readings.put(
                        pool.getMetadata().getName(),
                        PoolReading.failed(new ProviderException(FailureKind.TRANSIENT, problem)))));
        return readings;
    }

    /** Adds machines that have no node yet. The pool's status contains only their number, so their names are made up. */
    private static PoolReading withMachinesToCome(TrainingPool pool, PoolReading reading, Instant now) {
        var state = reading.state().orElse(null);
        var status = pool.getStatus();
        if (state == null || status == null || status.upcoming() == null) {
            return reading;
        }
        var machines = new ArrayList<>(state.machines());
        for (int i = 0; i < Math.min(state.unfilled(), status.upcoming()); i++) {
            var id = "coming-%d".formatted(i);
            machines.add(new Machine(
                    id,
                    "unknown://%s/%s".formatted(pool.getMetadata().getName(), id),
                    null,
                    Machine.State.CREATING,
                    now));
        }
        return PoolReading.of(new PoolState(state.target(), machines, state.failures()));
    }

    /**
     * Returns why the scaler could not read a pool; empty if it could. If the scaler could not read the pool, its state in the report is
     * unknown.
     */
    private static Optional<String> unread(TrainingPool pool) {
        var conditions = Optional.ofNullable(pool.getStatus()).map(status -> status.conditions());
        return conditions.orElse(List.of()).stream()
                .filter(condition -> condition.type().equals(LedgerStatus.READABLE))
                .filter(condition -> condition.status().equals("False"))
                .map(condition -> condition.message())
                .findFirst();
    }

    private ClusterStatus standing(List<String> remarks) {
        var problems = new ArrayList<>(remarks);
        snapshot.catalogue().problems().forEach(problem -> problems.add(problem.toString()));
        Stream.concat(snapshot.unreadable().stream(), snapshot.deadlines().invalid().stream())
                .forEach(object -> problems.add("%s %s%s: %s"
                        .formatted(
                                object.kind(),
                                object.namespace().isEmpty() ? "" : object.namespace() + "/",
                                object.name(),
                                object.message())));
        return new ClusterStatus(
                snapshot.now().toString(),
                snapshot.pools().values().stream().map(this::line).toList(),
                verdicts.stream()
                        .filter(verdict -> verdict.node().pool().isPresent())
                        .map(this::line)
                        .sorted(Comparator.comparing(MachineLine::pool).thenComparing(MachineLine::node))
                        .toList(),
                snapshot.waiting().stream()
                        .sorted(Comparator.comparing(PendingPod::since).thenComparing(PendingPod::toString))
                        .map(this::line)
                        .toList(),
                problems);
    }

    private PoolLine line(PoolView view) {
        var pool = view.pool();
        var now = snapshot.now();
        var ready = snapshot.stayingOf(pool.name()).stream()
                .filter(NodeView::usable)
                .toList();
        return new PoolLine(
                pool.name(),
                pool.capacityType().toString(),
                pool.min(),
                pool.max(),
                view.state().map(PoolState::target).orElse(null),
                ready.size(),
                view.state().isPresent() ? Integer.valueOf(snapshot.upcoming(view)) : null,
                (int) ready.stream()
                        .filter(node -> node.trainingPods().isEmpty())
                        .count(),
                view.state()
                        .flatMap(state -> pool.hourlyPrice()
                                .map(price -> price.multiply(BigDecimal.valueOf(state.present()))
                                        .toPlainString()))
                        .orElse(null),
                view.ledger()
                        .backOff()
                        .filter(backOff -> backOff.active(now))
                        .map(backOff -> new BackOffLine(
                                backOff.kind().toString(),
                                backOff.reason(),
                                backOff.until().toString(),
                                Duration.between(now, backOff.until()).toSeconds()))
                        .orElse(null),
                view.problem().orElse(null),
                view.ledger().reliability().equals(Reliability.NONE) ? null : Double.valueOf(view.lostShare(now)));
    }

    private MachineLine line(Verdict verdict) {
        var node = verdict.node();
        var now = snapshot.now();
        boolean idle = node.trainingPods().isEmpty() && verdict.state() != NodeState.REGISTERING;
        return new MachineLine(
                node.name(),
                node.pool().map(pool -> pool.name()).orElse(""),
                verdict.state().toString(),
                verdict.reason(),
                seconds(node.created(), now),
                node.marks()
                        .idleSince()
                        .filter(since -> idle)
                        .map(since -> seconds(since, now))
                        .orElse(null),
                node.trainingPods().stream().map(PodOnNode::toString).sorted().toList());
    }

    private WaitingLine line(PendingPod pod) {
        var outcome = plan.outcomes().get(pod.uid());
        return new WaitingLine(
                pod.toString(),
                seconds(pod.since(), snapshot.now()),
                outcome == null ? "nothing was planned" : message(outcome),
                outcome == null ? "unplanned" : outcome.word(),
                pod.uid());
    }

    /**
     * Returns the message of an outcome. A client does not know whether the scaler will grow a pool: the scaler does not if an earlier
     * machine did not help the pod, and a client cannot see that.
     */
    private String message(Outcome outcome) {
        return outcome instanceof Outcome.Growing growing && !ofARound
                ? "a new machine of pool %s would fit%s: the scaler requests the machine, or an Event of the pod gives the reason why not"
                        .formatted(growing.pool(), growing.caveat())
                : outcome.message();
    }

    private static long seconds(Instant from, Instant to) {
        return Math.max(0, Duration.between(from, to).toSeconds());
    }
}
