package dev.trainyard.scaler.ledger;

import dev.trainyard.core.api.TrainingPoolStatus;
import dev.trainyard.core.api.TrainingPoolStatus.BrokenStatus;
import dev.trainyard.core.api.TrainingPoolStatus.ConditionStatus;
import dev.trainyard.core.api.TrainingPoolStatus.ExclusionStatus;
import dev.trainyard.core.api.TrainingPoolStatus.NodesStatus;
import dev.trainyard.core.api.TrainingPoolStatus.OwedStatus;
import dev.trainyard.core.api.TrainingPoolStatus.ReliabilityStatus;
import dev.trainyard.scaler.provider.FailureKind;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The form of a {@link PoolLedger} in the status of a TrainingPool. The ledger is stored in the members {@code backOff}, {@code upcoming},
 * {@code owed}, {@code nodes} and {@code reliability}, and in the transition times of two conditions. All of these are readable for people too.
 */
public final class LedgerStatus {

    public static final String READABLE = "Readable";
    public static final String UPCOMING = "Upcoming";
    public static final String PROVISIONING = "Provisioning";

    private static final String ANNOUNCED = "Announced";

    private LedgerStatus() {}

    /**
     * Returns the condition which says that a request was announced and has no answer yet. The status keeps the condition until the answer
     * is known.
     *
     * @param target the pool's number of machines after the request
     */
    public static ConditionStatus announced(int target) {
        return new ConditionStatus(
                ANNOUNCED,
                "True",
                "Requested",
                "the request to grow to %d machines has no answer yet".formatted(target),
                null);
    }

    public static boolean isAnnouncement(ConditionStatus condition) {
        return ANNOUNCED.equals(condition.type());
    }

    /** Whether the status has a request without an answer. */
    public static boolean isAnnounced(TrainingPoolStatus status) {
        return Optional.ofNullable(status.conditions()).orElse(List.of()).stream()
                .anyMatch(LedgerStatus::isAnnouncement);
    }

    /** Returns when a request without an answer was announced; empty if there is no such request, or if the time is invalid. */
    public static Optional<Instant> announcedAt(TrainingPoolStatus status) {
        return find(Optional.ofNullable(status.conditions()).orElse(List.of()), ANNOUNCED)
                .flatMap(LedgerStatus::transition);
    }

    /** Returns the ledger of a status; unreadable parts count as absent. */
    public static PoolLedger read(@Nullable TrainingPoolStatus status) {
        if (status == null) {
            return PoolLedger.EMPTY;
        }
        var conditions = Optional.ofNullable(status.conditions()).orElse(List.of());
        return new PoolLedger(
                Optional.ofNullable(status.backOff()).flatMap(LedgerStatus::backOff),
                find(conditions, PROVISIONING).flatMap(LedgerStatus::transition).orElse(Instant.EPOCH),
                debt(status),
                find(conditions, READABLE)
                        .filter(c -> "False".equals(c.status()))
                        .flatMap(LedgerStatus::transition),
                Math.max(0, Optional.ofNullable(status.upcoming()).orElse(0)),
                Optional.ofNullable(status.nodes()).map(LedgerStatus::nodes).orElse(NodeHistory.NONE),
                Optional.ofNullable(status.reliability())
                        .flatMap(LedgerStatus::reliability)
                        .orElse(Reliability.NONE));
    }

    private static Debt debt(TrainingPoolStatus status) {
        var owed = Optional.ofNullable(status.owed()).orElse(List.of()).stream()
                .filter(request -> request != null && request.machines() > 0)
                .flatMap(request -> time(request.since()).map(at -> new Debt.Request(at, request.machines())).stream())
                .sorted(Comparator.comparing(Debt.Request::since))
                .toList();
        return owed.isEmpty() ? Debt.NONE : new Debt(owed);
    }

    /** Returns the machines that the cloud owes, in the form of the status; null if it owes none. */
    public static @Nullable List<OwedStatus> owed(PoolLedger ledger) {
        var owed = ledger.debt().requests().stream()
                .map(request -> new OwedStatus(request.since().toString(), request.machines()))
                .toList();
        return owed.isEmpty() ? null : owed;
    }

    /** Returns the history of nodes in the form of the status; null if the history is empty. */
    public static @Nullable NodesStatus nodes(PoolLedger ledger) {
        var nodes = ledger.nodes();
        if (nodes.equals(NodeHistory.NONE)) {
            return null;
        }
        var exclusions = nodes.exclusions().stream()
                .map(exclusion -> new ExclusionStatus(
                        exclusion.pods(), exclusion.until().toString(), exclusion.failures(), exclusion.reason()))
                .toList();
        return new NodesStatus(
                nodes.labels().isEmpty() ? null : List.copyOf(nodes.labels()),
                nodes.labels().isEmpty() ? null : nodes.labelsSeen().toString(),
                exclusions.isEmpty() ? null : exclusions,
                nodes.joined().isEmpty() ? null : List.copyOf(nodes.joined()),
                nodes.lost().isEmpty() ? null : texts(nodes.lost()),
                nodes.broken().isEmpty() ? null : broken(nodes),
                nodes.removing().isEmpty() ? null : List.copyOf(nodes.removing()),
                nodes.vanished().isEmpty() ? null : texts(nodes.vanished()));
    }

    /** Returns the pool's reliability in the form of the status; null if nothing is known. */
    public static @Nullable ReliabilityStatus reliability(PoolLedger ledger) {
        var known = ledger.reliability();
        return known.equals(Reliability.NONE)
                ? null
                : new ReliabilityStatus(
                        known.at().toString(),
                        known.machines(),
                        known.machineHours(),
                        known.reclaims(),
                        known.failedLaunches());
    }

    private static Optional<Reliability> reliability(ReliabilityStatus status) {
        boolean valid = status.machines() >= 0
                && isSum(status.machineHours())
                && isSum(status.reclaims())
                && isSum(status.failedLaunches());
        return time(status.at())
                .filter(at -> valid)
                .map(at -> new Reliability(
                        at, status.machines(), status.machineHours(), status.reclaims(), status.failedLaunches()));
    }

    private static boolean isSum(double number) {
        return number >= 0 && number <= Integer.MAX_VALUE;
    }

    private static List<BrokenStatus> broken(NodeHistory nodes) {
        return nodes.broken().entrySet().stream()
                .map(machine -> new BrokenStatus(
                        machine.getKey(),
                        machine.getValue().at().toString(),
                        machine.getValue().size(),
                        machine.getValue().zone()))
                .toList();
    }

    private static Map<String, String> texts(SortedMap<String, Instant> times) {
        var texts = new TreeMap<String, String>();
        times.forEach((name, time) -> texts.put(name, time.toString()));
        return texts;
    }

    private static SortedSet<String> names(@Nullable List<String> names) {
        return Optional.ofNullable(names).orElse(List.of()).stream()
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static NodeHistory nodes(NodesStatus status) {
        return new NodeHistory(
                names(status.labels()),
                time(status.labelsSeen()).orElse(Instant.EPOCH),
                Optional.ofNullable(status.exclusions()).orElse(List.of()).stream()
                        .filter(Objects::nonNull)
                        .flatMap(exclusion -> exclusion(exclusion).stream())
                        .toList(),
                names(status.joined()),
                times(status.lost()),
                broken(status),
                names(status.removing()),
                times(status.vanished()));
    }

    private static SortedMap<String, Instant> times(@Nullable Map<String, String> texts) {
        var times = new TreeMap<String, Instant>();
        Optional.ofNullable(texts)
                .orElse(Map.of())
                .forEach((name, text) -> time(text).ifPresent(at -> times.put(name, at)));
        return times;
    }

    private static SortedMap<String, Breakdown> broken(NodesStatus status) {
        var broken = new TreeMap<String, Breakdown>();
        Optional.ofNullable(status.broken()).orElse(List.of()).stream()
                .filter(machine -> machine != null && !isAbsent(machine.machine()))
                .forEach(machine -> time(machine.at())
                        .ifPresent(at -> broken.put(
                                machine.machine(),
                                new Breakdown(at, orEmpty(machine.size()), orEmpty(machine.zone())))));
        return broken;
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static Optional<Exclusion> exclusion(ExclusionStatus status) {
        return isAbsent(status.pods())
                ? Optional.empty()
                : time(status.until())
                        .map(until -> new Exclusion(
                                status.pods(),
                                until,
                                Math.max(0, status.failures()),
                                isAbsent(status.reason()) ? "" : status.reason()));
    }

    private static Optional<Instant> time(@Nullable String text) {
        try {
            return Optional.ofNullable(text).map(Instant::parse);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns the back-off in the form of the status; null if there is none. A back-off that is over stays in the status for another hour,
     * since its number of failures determines the length of the next back-off.
     */
    public static TrainingPoolStatus.@Nullable BackOff backOff(PoolLedger ledger, Instant now) {
        return ledger.backOff()
                .filter(b -> !PoolLedger.forgiven(b, now))
                .map(b -> new TrainingPoolStatus.BackOff(
                        b.until().toString(), b.kind().toString(), b.reason(), b.failures()))
                .orElse(null);
    }

    /**
     * Returns the conditions that hold the other parts of the ledger in their transition times.
     *
     * @param problem why the pool was not read; empty if the pool was read. If there is a problem although no read failed, as for an
     *     invalid pool, the condition {@code Readable} is Unknown
     */
    public static List<ConditionStatus> conditions(PoolLedger ledger, Optional<String> problem) {
        var backOff = ledger.backOff();
        boolean failedOnce = ledger.heededUntil().isAfter(Instant.EPOCH);
        boolean readFailed = ledger.unreadSince().isPresent();
        boolean unread = readFailed || problem.isPresent();
        var notReadable = readFailed ? "False" : "Unknown";
        return List.of(
                new ConditionStatus(
                        READABLE,
                        unread ? notReadable : "True",
                        unread ? "NotRead" : "Read",
                        problem.orElse("the cloud answers"),
                        ledger.unreadSince().map(Instant::toString).orElse(null)),
                new ConditionStatus(
                        UPCOMING,
                        ledger.debt().since().isPresent() ? "True" : "False",
                        ledger.debt().since().isPresent() ? "Owed" : "NothingOwed",
                        ledger.debt().since().isPresent()
                                ? "some requested machines have not joined yet"
                                : "no requested machine is outstanding",
                        ledger.debt().since().map(Instant::toString).orElse(null)),
                new ConditionStatus(
                        PROVISIONING,
                        backOff.isPresent() ? "False" : "True",
                        backOff.map(b -> word(b.kind())).orElse("Delivers"),
                        backOff.map(BackOff::reason).orElse("no failure since the last machine joined"),
                        failedOnce ? ledger.heededUntil().toString() : null));
    }

    private static Optional<BackOff> backOff(TrainingPoolStatus.BackOff status) {
        if (isAbsent(status.until()) || isAbsent(status.kind())) {
            return Optional.empty();
        }
        try {
            return Optional.of(new BackOff(
                    Instant.parse(status.until()),
                    FailureKind.ofWord(status.kind()),
                    isAbsent(status.reason()) ? "" : status.reason(),
                    status.failures()));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Whether a member is missing. JSON may lack members that the type declares as non-null. */
    private static boolean isAbsent(@Nullable String member) {
        return member == null;
    }

    private static Optional<ConditionStatus> find(List<ConditionStatus> conditions, String type) {
        return conditions.stream()
                .filter(condition -> type.equals(condition.type()))
                .findFirst();
    }

    private static Optional<Instant> transition(ConditionStatus condition) {
        return time(condition.lastTransitionTime());
    }

    /** Returns the kind as one word for a condition's reason: {@code spot-capacity} becomes {@code SpotCapacity}. */
    private static String word(FailureKind kind) {
        var word = new StringBuilder();
        for (var part : kind.toString().split("-", -1)) {
            word.append(Character.toUpperCase(part.charAt(0))).append(part.substring(1));
        }
        return word.toString();
    }
}
