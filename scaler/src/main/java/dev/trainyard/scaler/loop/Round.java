package dev.trainyard.scaler.loop;

import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.scaler.calls.Clouds;
import dev.trainyard.scaler.calls.NotLeading;
import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.ledger.PoolLedger;
import dev.trainyard.scaler.lifecycle.Lifecycle;
import dev.trainyard.scaler.lifecycle.NodeState;
import dev.trainyard.scaler.lifecycle.SpotReturns;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.metrics.ScalerMetrics;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.ProgressMemory;
import dev.trainyard.scaler.observe.ReadingLimit;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.SnapshotReader;
import dev.trainyard.scaler.plan.GateRemoval;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.scaler.plan.Plan;
import dev.trainyard.scaler.report.EventReporter;
import dev.trainyard.scaler.report.Notices;
import dev.trainyard.scaler.report.ReportChannels;
import dev.trainyard.scaler.report.RoundReporter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One round: observe, plan, act. Each round computes everything again from the API server's objects and the clouds' state, so a round may
 * be interrupted at any point. The next round, in this process or another, continues the work. Not thread-safe: rounds run one after
 * another.
 */
public final class Round {

    /** The reasons of pods that may get a machine as soon as the back-off of a pool ends. */
    private static final Set<Outcome.Reason> WAITING =
            EnumSet.of(Outcome.Reason.BACKED_OFF, Outcome.Reason.AHEAD_OF_DEADLINE);

    private final Cluster cluster;
    private final SnapshotReader reader;
    private final Clouds clouds;
    private final ScalerMetrics metrics;
    private final LedgerCache memory = new LedgerCache();
    private final PendingTimes pending = new PendingTimes();
    private final ProgressMemory progress;
    private final RoundReporter reporter;
    private final Auditor auditor;
    private final Provisioner provisioner;
    private final IsolatedSteps steps;
    private final GateRemover gateRemover;
    private final Labeller labeller;
    private final NoticeWriter noticeWriter;
    private final Remover remover;
    private final ReclaimedJobs reclaimedJobs = new ReclaimedJobs();
    private final StatusWriter statuses;
    private final Consumer<Catalogue> configured;

    /**
     * @param configured receives the catalogue of each round before anything else that may fail
     * @param ownNamespace the namespace that Trainyard itself runs in
     * @param limit the time limit for reading pods
     * @param priorityCutoff the lowest pod priority for which machines are requested
     */
    public Round(
            Cluster cluster,
            Consumer<Catalogue> configured,
            Clouds clouds,
            String ownNamespace,
            ReadingLimit limit,
            ReportChannels voice,
            ScalerMetrics metrics,
            int priorityCutoff) {
        this.cluster = cluster;
        this.configured = configured;
        this.reader = new SnapshotReader(ownNamespace, limit);
        this.clouds = clouds;
        this.metrics = metrics;
        this.progress = new ProgressMemory(clouds.nanoTime());
        this.reporter = new RoundReporter(voice);
        this.auditor = new Auditor(ownNamespace, reporter, metrics);
        this.provisioner = new Provisioner(clouds, reporter, metrics, priorityCutoff);
        this.steps = new IsolatedSteps(reporter);
        this.gateRemover = new GateRemover(cluster, reporter, steps);
        this.labeller = new Labeller(cluster, reporter, steps);
        this.noticeWriter = new NoticeWriter(cluster, steps);
        this.remover = new Remover(cluster, clouds, reporter, metrics, reclaimedJobs, steps);
        this.statuses = new StatusWriter(cluster, clouds, steps);
    }

    /**
     * Returns a round without a loop: the caller starts each run and sets the time. The round reports only to {@code eventReporter} and to
     * the log.
     *
     * @param ownNamespace the namespace that Trainyard itself runs in
     * @param priorityCutoff the lowest pod priority for which machines are requested
     */
    public static Round driven(
            Cluster cluster,
            Clouds clouds,
            String ownNamespace,
            EventReporter eventReporter,
            MeterRegistry registry,
            int priorityCutoff) {
        var voice = new ReportChannels(eventReporter, Notices.NONE, uid -> Optional.empty(), false);
        return new Round(
                cluster,
                catalogue -> {},
                clouds,
                ownNamespace,
                ReadingLimit.NONE,
                voice,
                new ScalerMetrics(registry),
                priorityCutoff);
    }

    /**
     * The result of a round.
     *
     * @param next the latest time for the next round if no event happens; empty if the scan interval decides
     * @param mistakes exceptions of single steps, except refusals by the API server; all steps without an exception were carried out
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
     * @param clock returns the wall-clock time
     * @throws NotLeading if the round was stopped early, since another scaler may lead by now
     */
    public Result run(Supplier<Instant> clock) {
        var view = cluster.view();
        configured.accept(view.catalogue());
        var readings = clouds.read(view.catalogue().pools().values());
        reporter.begin(view);
        steps.begin(clock);
        var now = clock.get();
        var before = memory.of(view.pools(), now);
        var read = reader.read(now, view.catalogue(), view.objects(), readings, before)
                .withSpotScores(clouds::spotScore);
        var observed = SpotReturns.begin(progress.on(read, view.pods()));
        observed.pools().values().forEach(pool -> {
            announceBackOff(pool, before);
            announceBreakdowns(pool, before, observed);
        });
        observed.unreadable().forEach(reporter::unreadable);
        observed.deadlines().invalid().forEach(reporter::invalidDeadline);
        observed.catalogue().problems().forEach(reporter::problem);

        // Machines are requested before all other slow work, since users wait for them.
        var provisioned = provisioner.provision(memory.awaiting(view.pools(), observed), orderBook(view, now));
        var plan = provisioned.plan();
        var snapshot = plan.staged(provisioned.snapshot());
        reporter.waiting(plan, auditor.audit(view, observed.now()));
        reporter.phases().scalingUpEnds();

        var verdicts = Lifecycle.judge(snapshot, plan.reserved());
        var uids = new HashMap<String, String>();
        view.nodes()
                .forEach(node -> uids.put(
                        node.getMetadata().getName(),
                        String.valueOf(node.getMetadata().getUid())));
        // The statuses are written before the removals, since users watch them, and removals of many nodes take a
        // while.
        statuses.write(view, snapshot, plan);
        reporter.phases().maintenanceBegins(verdicts);
        reclaimedJobs.begin(view.pods());
        var starts = remover.carryOut(snapshot, verdicts, uids, clock);
        // Evictions come first: an annotation reaches its training only after a while.
        noticeWriter.write(snapshot);
        gateRemover.carryOut(snapshot, GateRemoval.of(snapshot, plan.outcomes()));
        // Pods may wait for these labels. The times only delay removals, so they come last.
        labeller.label(snapshot);
        statuses.write(view, snapshot, reclaimedJobs);
        remover.noteStarts(starts);
        noticeWriter.writeProgress(snapshot);
        noticeWriter.writeTimes(view, snapshot, reclaimedJobs);
        reporter.phases().maintenanceEnds();
        metrics.observed(snapshot, plan, verdicts);
        pending.observe(snapshot, view.pods(), metrics::ran);
        var mistakes = steps.mistakes();
        if (!mistakes.isEmpty()) {
            metrics.failedRound();
        }
        return new Result(snapshot, plan, verdicts, next(snapshot, plan, verdicts), mistakes);
    }

    private Provisioner.OrderBook orderBook(Cluster.View view, Instant now) {
        return new Provisioner.OrderBook() {
            @Override
            public void known(Snapshot snapshot) {
                memory.keep(view.pools(), snapshot);
            }

            @Override
            public boolean announce(String pool, int target, int upcoming) {
                return statuses.announce(view, pool, target, upcoming, now);
            }
        };
    }

    private void announceBackOff(PoolView pool, Map<String, PoolLedger> before) {
        var known = before.get(pool.name());
        pool.ledger()
                .backOff()
                .filter(backOff -> known == null || !known.backOff().equals(Optional.of(backOff)))
                .ifPresent(backOff -> {
                    reporter.backsOff(pool.name(), backOff);
                    metrics.backedOff(pool.name(), backOff.kind());
                });
    }

    /** Reports machines that broke since the last round, and sizes and zones whose machines break again and again. */
    private void announceBreakdowns(PoolView pool, Map<String, PoolLedger> before, Snapshot observed) {
        var known = before.getOrDefault(pool.name(), PoolLedger.EMPTY).nodes();
        var nodes = pool.ledger().nodes();
        int news = nodes.breakdownsSince(known);
        if (news == 0) {
            return;
        }
        metrics.broke(pool.name(), news);
        var now = observed.now();
        int machines = observed.nodesOf(pool.name()).size();
        var reported = known.repeatedBreakdowns(machines, now);
        nodes.repeatedBreakdowns(machines, now).stream()
                .filter(message -> !reported.contains(message))
                .forEach(message -> reporter.breaks(pool.name(), message));
    }

    private Optional<Instant> next(Snapshot snapshot, Plan plan, List<Verdict> verdicts) {
        var now = snapshot.now();
        boolean blocked = plan.outcomes().values().stream()
                .anyMatch(outcome -> outcome instanceof Outcome.Unplaced u && WAITING.contains(u.reason()));
        var times = Stream.of(
                Stream.of(now.plusMillis(1)).filter(soon -> steps.hasPostponed()),
                verdicts.stream().map(Verdict::recheck).flatMap(Optional::stream),
                snapshot.pools().values().stream()
                        .filter(pool -> blocked && pool.backsOff(now))
                        .flatMap(pool -> pool.ledger().backOff().stream().map(b -> b.until())),
                snapshot.demand().stream()
                        .flatMap(pod -> snapshot.deadlines().of(pod.uid()).stream())
                        .flatMap(policy -> policy.nextChange(now).stream()),
                snapshot.nodes().stream()
                        .flatMap(node -> node.notice().stream())
                        .flatMap(notice -> notice.nextChange().stream()),
                snapshot.pools().values().stream().map(PoolView::overdueAt).flatMap(Optional::stream),
                snapshot.pools().values().stream()
                        .filter(pool -> isMoving(pool, verdicts))
                        .map(pool -> now.plus(clouds.attention(pool.pool()))));
        return times.flatMap(stream -> stream).filter(now::isBefore).min(Instant::compareTo);
    }

    /** Whether changes of the pool are in progress in its cloud, so that the pool should be read often. */
    private static boolean isMoving(PoolView pool, List<Verdict> verdicts) {
        boolean unread = pool.state().isEmpty();
        boolean leaving = verdicts.stream()
                .filter(verdict -> verdict.node()
                        .pool()
                        .filter(own -> own.name().equals(pool.name()))
                        .isPresent())
                .anyMatch(verdict ->
                        verdict.state() == NodeState.TERMINATING || verdict.step() instanceof Verdict.Terminate);
        return unread || leaving || pool.owed() > 0 || !pool.withoutNode().isEmpty();
    }
}
