package dev.trainyard.scaler.loop;

import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingPoolStatus.ConditionStatus;
import dev.trainyard.core.api.TrainingPoolStatus.MachineStatus;
import dev.trainyard.core.api.TrainingTierStatus;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.core.catalogue.Problem;
import dev.trainyard.core.machine.MachineSizes;
import dev.trainyard.core.machine.ReportedSizes;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.calls.Clouds;
import dev.trainyard.scaler.calls.SizeAnswer;
import dev.trainyard.scaler.cluster.Cluster;
import dev.trainyard.scaler.ledger.BackOff;
import dev.trainyard.scaler.ledger.LedgerStatus;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.plan.Plan;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A writer of the status of pools and tiers. A status is written only if it changed. */
final class StatusWriter {

    private static final int COLUMN = 80;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneOffset.UTC);

    private final Cluster cluster;
    private final Clouds clouds;
    private final IsolatedSteps steps;
    /** Pools whose status was written after the round read the pools, so that the round has an older status. */
    private final Set<String> announced = new HashSet<>();

    /** @param clouds access to the clouds, for machine sizes that the built-in table lacks */
    StatusWriter(Cluster cluster, Clouds clouds, IsolatedSteps steps) {
        this.cluster = cluster;
        this.clouds = clouds;
        this.steps = steps;
    }

    /**
     * Records a request in the pool's status before the request is sent. A scaler that takes over then knows of the request. This holds
     * even if the pool cannot be read, or the request reaches the cloud later.
     *
     * @param target the pool's number of machines after the request
     * @param upcoming the number of provisioning machines, including those of the request
     * @return whether the status was written
     */
    boolean announce(Cluster.View view, String pool, int target, int upcoming, Instant now) {
        var object = view.pools().get(pool);
        if (object == null) {
            return false;
        }
        var before = Optional.ofNullable(object.getStatus()).orElse(TrainingPoolStatus.UNKNOWN);
        var conditions =
                new ArrayList<>(Optional.ofNullable(before.conditions()).orElse(List.of()));
        conditions.removeIf(LedgerStatus::isAnnouncement);
        conditions.add(LedgerStatus.announced(target));
        return steps.attempt("recording a request in the status of TrainingPool " + pool, () -> {
            announced.add(pool);
            cluster.status(object, before.announcing(target, upcoming, dated(conditions, before.conditions(), now)));
        });
    }

    /** Writes the statuses of all pools and tiers after planning. */
    void write(Cluster.View view, Snapshot snapshot, Plan plan) {
        view.pools().forEach((name, object) -> {
            var pool = snapshot.pools().get(name);
            steps.attempt("writing the status of TrainingPool " + name, () -> {
                var status = pool == null ? invalid(object, snapshot) : status(object, pool, snapshot, plan);
                if (announced.contains(name) || !status.equals(object.getStatus())) {
                    cluster.status(object, status);
                    announced.remove(name);
                }
            });
        });
        view.tiers().forEach((name, object) -> {
            steps.attempt("writing the status of TrainingTier " + name, () -> {
                var status = status(object, snapshot, List.of());
                if (!status.equals(object.getStatus())) {
                    cluster.status(object, status);
                }
            });
        });
    }

    /** Adds Jobs that have lost pods in this round to the statuses of their tiers. */
    void write(Cluster.View view, Snapshot snapshot, ReclaimedJobs jobs) {
        jobs.unwritten().forEach((name, reclaims) -> {
            var object = view.tiers().get(name);
            if (object == null) {
                jobs.written(name);
            } else {
                steps.attempt("writing the reclaimed Jobs of TrainingTier " + name, () -> {
                    cluster.status(object, status(object, snapshot, reclaims));
                    jobs.written(name);
                });
            }
        });
    }

    private TrainingPoolStatus status(TrainingPool object, PoolView pool, Snapshot snapshot, Plan plan) {
        var before = Optional.ofNullable(object.getStatus()).orElse(TrainingPoolStatus.UNKNOWN);
        boolean known = pool.state().isPresent();
        int upcoming = snapshot.upcoming(pool);
        var conditions = new ArrayList<ConditionStatus>();
        conditions.add(ready(pool, snapshot.now()));
        conditions.add(new ConditionStatus("Valid", "True", "Valid", "the spec is valid", null));
        conditions.add(sound(pool));
        conditions.addAll(LedgerStatus.conditions(pool.ledger(), pool.problem()));
        // If another scaler takes over, it must know of a request without an answer, since the cloud may still carry
        // out the request.
        var target = pool.state()
                .map(state -> Integer.valueOf(state.target() + pool.remembered()))
                .orElse(before.target());
        boolean open = known ? pool.remembered() > 0 : LedgerStatus.isAnnounced(before);
        if (open && target != null) {
            conditions.add(LedgerStatus.announced(target));
        }
        return new TrainingPoolStatus(
                object.getMetadata().getGeneration(),
                target,
                (int) snapshot.stayingOf(pool.name()).stream()
                        .filter(NodeView::usable)
                        .count(),
                known ? Integer.valueOf(upcoming + pool.remembered()) : before.upcoming(),
                LedgerStatus.owed(pool.ledger()),
                message(pool, upcoming, snapshot.now(), plan, before),
                LedgerStatus.backOff(pool.ledger(), snapshot.now()),
                toldBefore(object).orElse(null),
                LedgerStatus.nodes(pool.ledger()),
                LedgerStatus.reliability(pool.ledger()),
                dated(conditions, before.conditions(), snapshot.now()));
    }

    private static @Nullable String message(
            PoolView pool, int upcoming, Instant now, Plan plan, TrainingPoolStatus before) {
        if (pool.problem().isPresent()) {
            return shortened("cannot be read: " + pool.problem().get());
        }
        var growth = plan.growths().stream()
                .filter(g -> g.pool().name().equals(pool.name()))
                .findFirst();
        if (growth.isPresent() && !pool.backsOff(now)) {
            return shortened(growth.get().brief());
        }
        if (pool.backsOff(now)) {
            return pool.ledger().backOff().map(StatusWriter::brief).orElse(null);
        }
        // The last message of a Ready pool describes its growth. This message stays useful until the machines have
        // joined.
        return upcoming > 0 && wasReady(before) ? before.message() : "";
    }

    private static boolean wasReady(TrainingPoolStatus before) {
        return Optional.ofNullable(before.conditions()).orElse(List.of()).stream()
                .anyMatch(condition -> "Ready".equals(condition.type()) && "True".equals(condition.status()));
    }

    private static String brief(BackOff backOff) {
        var what = switch (backOff.kind()) {
            case CAPACITY -> "no capacity";
            case SPOT_CAPACITY -> "no capacity (spot)";
            case QUOTA -> "quota exceeded";
            case THROTTLED -> "throttled";
            case AUTH -> "not allowed";
            case INVALID_CONFIGURATION -> "invalid configuration";
            case CONFLICT -> "conflict";
            case LAUNCH_TIMEOUT -> "machine not usable in time";
            case TRANSIENT -> "request failed";
        };
        return "%s, retry at %s".formatted(what, TIME.format(backOff.until()));
    }

    /** Shortens a message for a column of {@code kubectl get}; conditions and Events have the whole text. */
    private static String shortened(String message) {
        return message.length() <= COLUMN ? message : message.substring(0, COLUMN - 3) + "...";
    }

    private static ConditionStatus ready(PoolView pool, Instant now) {
        if (pool.problem().isPresent()) {
            return new ConditionStatus(
                    "Ready", "False", "NotRead", pool.problem().get(), null);
        }
        var backOff = pool.ledger().backOff().filter(b -> b.active(now));
        return backOff.map(b -> new ConditionStatus(
                        "Ready",
                        "False",
                        "BackOff",
                        "no request until %s: %s: %s".formatted(b.until(), b.kind(), b.reason()),
                        null))
                .orElseGet(() -> new ConditionStatus("Ready", "True", "Ready", "machines can be requested", null));
    }

    /** Returns the condition that lists the cloud's settings that conflict with the pool. */
    private static ConditionStatus sound(PoolView pool) {
        if (pool.state().isEmpty()) {
            return new ConditionStatus("CloudResourceSound", "Unknown", "NotRead", "the pool cannot be read", null);
        }
        var warnings = pool.state().get().warnings();
        return warnings.isEmpty()
                ? new ConditionStatus(
                        "CloudResourceSound",
                        "True",
                        "NoWarnings",
                        "no setting in the cloud conflicts with the pool",
                        null)
                : new ConditionStatus("CloudResourceSound", "False", "Warnings", String.join("; ", warnings), null);
    }

    private TrainingPoolStatus invalid(TrainingPool object, Snapshot snapshot) {
        var before = Optional.ofNullable(object.getStatus()).orElse(TrainingPoolStatus.UNKNOWN);
        var told = ask(object);
        var problem = problems(
                        snapshot.catalogue(),
                        "TrainingPool",
                        object.getMetadata().getName())
                .orElse("the spec is missing");
        var message = told.filter(SizeAnswer.Untold.class::isInstance)
                .map(untold -> problem + "; " + ((SizeAnswer.Untold) untold).why())
                .orElse(problem);
        var conditions = new ArrayList<ConditionStatus>();
        conditions.add(new ConditionStatus("Ready", "False", "Invalid", message, null));
        conditions.add(new ConditionStatus("Valid", "False", "Invalid", message, null));
        // The pool's ledger is needed again once its spec is fixed.
        conditions.addAll(LedgerStatus.conditions(LedgerStatus.read(before), Optional.of("not read: " + message)));
        if (LedgerStatus.isAnnounced(before) && before.target() != null) {
            conditions.add(LedgerStatus.announced(before.target()));
        }
        return new TrainingPoolStatus(
                object.getMetadata().getGeneration(),
                before.target(),
                before.ready(),
                before.upcoming(),
                before.owed(),
                message,
                before.backOff(),
                told.filter(SizeAnswer.Told.class::isInstance)
                        .map(size -> ReportedSizes.write(((SizeAnswer.Told) size).size()))
                        .or(() -> toldBefore(object))
                        .orElse(null),
                before.nodes(),
                before.reliability(),
                dated(conditions, before.conditions(), snapshot.now()));
    }

    /**
     * Asks the cloud for a machine size that neither the spec nor the built-in table has. If the cloud answers, the pool is valid from the
     * next round on.
     */
    private Optional<SizeAnswer> ask(TrainingPool object) {
        return Optional.ofNullable(object.getSpec())
                .filter(spec -> spec.provider() != null && toldBefore(object).isEmpty())
                .flatMap(spec -> Pool.missingSize(spec, MachineSizes.builtIn())
                        .flatMap(name -> clouds.size(spec.provider(), name)));
    }

    /** Returns the machine size that the cloud reported earlier. Empty if there is none, or if the pool now names another instance type. */
    private static Optional<MachineStatus> toldBefore(TrainingPool object) {
        return Optional.ofNullable(object.getStatus())
                .map(TrainingPoolStatus::machine)
                .filter(machine -> Optional.ofNullable(object.getSpec())
                        .flatMap(spec -> Pool.missingSize(spec, MachineSizes.builtIn()))
                        .filter(machine.instanceType()::equalsIgnoreCase)
                        .isPresent());
    }

    private static TrainingTierStatus status(
            TrainingTier object, Snapshot snapshot, List<ReclaimedJobs.Reclaim> reclaims) {
        var catalogue = snapshot.catalogue();
        var problems = problems(catalogue, "TrainingTier", object.getMetadata().getName());
        boolean usable = catalogue.tiers().containsKey(object.getMetadata().getName());
        var conditions = List.of(
                new ConditionStatus(
                        "Ready",
                        usable ? "True" : "False",
                        usable ? "Ready" : "Invalid",
                        usable ? "pods can use the tier" : problems.orElse("the spec is missing"),
                        null),
                new ConditionStatus(
                        "Valid",
                        problems.isEmpty() ? "True" : "False",
                        problems.isEmpty() ? "Valid" : "Invalid",
                        problems.orElse("the spec is valid"),
                        null));
        var before = Optional.ofNullable(object.getStatus());
        var jobs = before.map(TrainingTierStatus::reclaimedJobs).orElse(null);
        return new TrainingTierStatus(
                object.getMetadata().getGeneration(),
                problems.orElse(""),
                dated(conditions, before.map(TrainingTierStatus::conditions).orElse(null), snapshot.now()),
                reclaims.isEmpty() ? jobs : ReclaimedJobs.after(jobs, reclaims));
    }

    private static Optional<String> problems(Catalogue catalogue, String kind, String name) {
        var messages = catalogue.problems().stream()
                .filter(problem -> problem.kind().equals(kind) && problem.name().equals(name))
                .map(Problem::message)
                .collect(Collectors.joining("; "));
        return Optional.of(messages).filter(text -> !text.isEmpty());
    }

    /** Sets missing transition times: a condition keeps its earlier time unless its status changes. */
    private static List<ConditionStatus> dated(
            List<ConditionStatus> conditions, @Nullable List<ConditionStatus> before, Instant now) {
        var old = Optional.ofNullable(before).orElse(List.of()).stream()
                .collect(Collectors.toMap(ConditionStatus::type, c -> c, (a, b) -> b));
        return conditions.stream()
                .map(condition -> condition.lastTransitionTime() != null
                        ? condition
                        : new ConditionStatus(
                                condition.type(),
                                condition.status(),
                                condition.reason(),
                                condition.message(),
                                since(condition, old, now)))
                .toList();
    }

    private static String since(ConditionStatus condition, Map<String, ConditionStatus> old, Instant now) {
        var before = old.get(condition.type());
        var time = before == null || !before.status().equals(condition.status()) ? null : before.lastTransitionTime();
        return time == null ? now.toString() : time;
    }
}
