package dev.trainyard.scaler;

import dev.trainyard.scaler.calls.Clouds;
import dev.trainyard.scaler.calls.NotLeading;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.lifecycle.Lifecycle;
import dev.trainyard.scaler.lifecycle.NodeState;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.ReadingLimit;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.SnapshotReader;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Plan;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One round: observe, plan, act. Everything is recomputed from the API server and the clouds, so that a round may be cut off anywhere and
 * the next one, in this process or another, carries on. Not thread-safe: rounds follow each other.
 */
public final class Round {

    private final Cluster cluster;
    private final SnapshotReader reader;
    private final Clouds clouds;
    private final ScalerMetrics metrics;
    private final Memory memory = new Memory();
    private final PendingTimes pending = new PendingTimes();
    private final Narrator narrator;
    private final Auditor auditor;
    private final Provisioner provisioner;
    private final Steps steps;
    private final Labeller labeller;
    private final Remover remover;
    private final StatusWriter statuses;

    /**
     * @param ownNamespace where Trainyard itself runs
     * @param limit for the time that pods take to read
     * @param priorityCutoff nothing is bought for pods of a lower priority
     */
    Round(
            Cluster cluster,
            Clouds clouds,
            String ownNamespace,
            ReadingLimit limit,
            Voice voice,
            ScalerMetrics metrics,
            int priorityCutoff) {
        this.cluster = cluster;
        this.reader = new SnapshotReader(ownNamespace, limit);
        this.clouds = clouds;
        this.metrics = metrics;
        this.narrator = new Narrator(voice);
        this.auditor = new Auditor(ownNamespace, narrator, metrics);
        this.provisioner = new Provisioner(clouds, narrator, metrics, priorityCutoff);
        this.steps = new Steps(narrator);
        this.labeller = new Labeller(cluster, narrator, steps);
        this.remover = new Remover(cluster, clouds, narrator, steps);
        this.statuses = new StatusWriter(cluster, clouds, steps);
    }

    /**
     * The rounds of a scaler that somebody else sets going and provides with time. It tells nobody but {@code herald} and its log.
     *
     * @param ownNamespace where Trainyard itself runs
     * @param priorityCutoff nothing is bought for pods of a lower priority
     */
    public static Round driven(
            Cluster cluster,
            Clouds clouds,
            String ownNamespace,
            Herald herald,
            MeterRegistry registry,
            int priorityCutoff) {
        var voice = new Voice(herald, Notices.NONE, uid -> Optional.empty(), false);
        return new Round(
                cluster, clouds, ownNamespace, ReadingLimit.NONE, voice, new ScalerMetrics(registry), priorityCutoff);
    }

    /**
     * What a round found.
     *
     * @param next when the next one is due at the latest, events aside; empty: when the scan interval says
     * @param mistakes what single steps threw, other than that they were refused: nothing else was kept from being done
     */
    public record Result(
            Snapshot snapshot,
            Plan plan,
            List<Verdict> verdicts,
            Optional<Instant> next,
            List<RuntimeException> mistakes) {}

    /**
     * Runs the round.
     *
     * @param clock the time on the wall
     * @throws NotLeading when it ended before its end, since another scaler may lead by now
     */
    public Result run(Supplier<Instant> clock) {
        var view = cluster.view();
        var readings = clouds.read(view.catalogue().pools().values());
        narrator.begin(view);
        steps.begin();
        var before = memory.of(view.pools());
        var observed = reader.read(clock.get(), view.catalogue(), view.objects(), readings, before);
        observed.pools().values().forEach(pool -> announceBackOff(pool, before));
        observed.unreadable().forEach(narrator::unreadable);
        observed.catalogue().problems().forEach(narrator::problem);

        // Before all else that takes time: somebody waits for it.
        var provisioned = provisioner.provision(observed, orderBook(view));
        var snapshot = provisioned.snapshot();
        var plan = provisioned.plan();
        narrator.waiting(plan, auditor.audit(view, observed.now()));
        narrator.phases().scalingUpEnds();
        labeller.label(snapshot);

        var verdicts = Lifecycle.judge(snapshot, plan.reserved());
        var uids = new HashMap<String, String>();
        view.nodes()
                .forEach(node -> uids.put(
                        node.getMetadata().getName(),
                        String.valueOf(node.getMetadata().getUid())));
        // Status before the removals: users follow it, and forty cordons take a while.
        statuses.write(view, snapshot, plan);
        narrator.phases().maintenanceBegins(verdicts);
        remover.carryOut(snapshot, verdicts, uids);
        narrator.phases().maintenanceEnds();
        metrics.observed(snapshot, plan, verdicts);
        pending.observe(snapshot, view.pods(), metrics::ran);
        var mistakes = steps.mistakes();
        if (!mistakes.isEmpty()) {
            metrics.failedRound();
        }
        return new Result(snapshot, plan, verdicts, next(snapshot, plan, verdicts), mistakes);
    }

    private Provisioner.OrderBook orderBook(Cluster.View view) {
        return new Provisioner.OrderBook() {
            @Override
            public void known(Snapshot snapshot) {
                memory.keep(view.pools(), snapshot);
            }

            @Override
            public boolean announce(String pool, int upcoming) {
                return statuses.announce(view, pool, upcoming);
            }
        };
    }

    private void announceBackOff(PoolView pool, Map<String, PoolLedger> before) {
        var known = before.get(pool.name());
        pool.ledger()
                .backOff()
                .filter(backOff -> known == null || !known.backOff().equals(Optional.of(backOff)))
                .ifPresent(backOff -> {
                    narrator.backsOff(pool.name(), backOff);
                    metrics.backedOff(pool.name(), backOff.kind());
                });
    }

    private Optional<Instant> next(Snapshot snapshot, Plan plan, List<Verdict> verdicts) {
        var now = snapshot.now();
        boolean blocked = plan.outcomes().values().stream()
                .anyMatch(outcome -> outcome instanceof Outcome.Unplaced u && u.reason() == Outcome.Reason.BACKED_OFF);
        var times = Stream.of(
                verdicts.stream().map(Verdict::recheck).flatMap(Optional::stream),
                snapshot.pools().values().stream()
                        .filter(pool -> blocked && pool.backsOff(now))
                        .flatMap(pool -> pool.ledger().backOff().stream().map(b -> b.until())),
                snapshot.pools().values().stream().map(PoolView::overdueAt).flatMap(Optional::stream),
                snapshot.pools().values().stream()
                        .filter(pool -> isMoving(pool, verdicts))
                        .map(pool -> now.plus(clouds.attention(pool.pool()))));
        return times.flatMap(stream -> stream).filter(now::isBefore).min(Instant::compareTo);
    }

    /** Whether the cloud has something under way, so that it is worth asking often. */
    private static boolean isMoving(PoolView pool, List<Verdict> verdicts) {
        boolean unread = pool.state().isEmpty();
        boolean leaving = verdicts.stream()
                .anyMatch(verdict ->
                        verdict.state() == NodeState.TERMINATING || verdict.step() instanceof Verdict.Terminate);
        return unread || leaving || pool.owed() > 0 || !pool.withoutNode().isEmpty();
    }
}
