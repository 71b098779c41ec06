package dev.trainyard.scaler.page;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.trainyard.scaler.offline.ClusterStatus;
import dev.trainyard.scaler.offline.ClusterStatus.MachineLine;
import dev.trainyard.scaler.offline.ClusterStatus.PoolLine;
import dev.trainyard.scaler.offline.ClusterStatus.WaitingLine;
import dev.trainyard.scaler.offline.CostEstimate;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The page's data as JSON: a stable interface, in which members may be added but not removed. Times have the format of RFC 3339. In
 * histories, times are seconds since 1970. Unknown values are absent (in histories: null), but never zero. The document is short even for
 * large clusters, since machines are counted, not listed.
 *
 * @param served when the document was written; readers must compute ages from this time, not from their own clocks
 * @param asOf when the shown round began; absent before the first round
 * @param totals rows {@code [since, pending pods, usable machines, cost per hour]}; the values of a row apply until the next row
 * @param decisions recent decisions, the latest first
 * @param problems invalid objects, and why they are invalid; at most 50
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record StatusDocument(
        String served,
        @Nullable String asOf,
        Scaler scaler,
        CostEntry cost,
        List<List<@Nullable Object>> totals,
        List<PoolEntry> pools,
        Waiting waiting,
        List<DecisionEntry> decisions,
        List<String> problems) {

    /** The maximum number of pods that the document names. Further pods are only counted. */
    static final int PODS_NAMED = 200;

    private static final int PROBLEMS_NAMED = 50;

    /**
     * The scaler that wrote the document.
     *
     * @param role {@code leads}, {@code stands-by}, or {@code only-looks} in a dry run
     * @param leader the identity of the leader; null if unknown
     * @param startedAt when this process began its history
     * @param failedRounds failed rounds since the last successful one
     * @param problem why there are no rounds, or why the last round failed; null if there is no problem
     * @param notShown why the last successful round could not be shown; null if it is shown
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Scaler(
            String identity,
            String role,
            @Nullable String leader,
            String startedAt,
            int failedRounds,
            @Nullable String problem,
            @Nullable String notShown) {}

    /**
     * The current cost of machines, in the currency of the pools' prices.
     *
     * @param withoutPrice pools that have machines but no price
     * @param unknown pools that cannot be read
     */
    record CostEntry(String perHour, List<String> withoutPrice, int machinesWithoutPrice, List<String> unknown) {}

    /**
     * A pool and its history.
     *
     * @param pool the pool as in {@code trainyard status -o json}
     * @param states the number of machines by state
     * @param history rows {@code [since, target, ready, upcoming]}; the values of a row apply until the next row
     */
    record PoolEntry(@JsonUnwrapped PoolLine pool, Map<String, Integer> states, List<List<@Nullable Object>> history) {}

    /**
     * The pending pods.
     *
     * @param byOutcome the number of pods by planned outcome, the most frequent outcome first
     * @param pods the pods that have been pending longest, at most {@link #PODS_NAMED}
     */
    record Waiting(int total, List<OutcomeCount> byOutcome, List<WaitingLine> pods) {}

    /**
     * The number of pending pods with one planned outcome.
     *
     * @param oldestSeconds how long the oldest of these pods has been pending, in seconds
     */
    record OutcomeCount(String outcome, int pods, long oldestSeconds) {}

    /** A decision, see {@link Decisions.Decision}. */
    record DecisionEntry(
            String at,
            String lastAt,
            int times,
            String kind,
            String name,
            boolean warning,
            String reason,
            String message) {}

    static StatusDocument of(
            Instant served,
            Scaler scaler,
            Optional<ClusterStatus> standing,
            RoundHistory history,
            Decisions decisions) {
        var now = standing.orElse(new ClusterStatus("", List.of(), List.of(), List.of(), List.of()));
        return new StatusDocument(
                served.toString(),
                standing.map(ClusterStatus::now).orElse(null),
                scaler,
                cost(CostEstimate.of(now)),
                totals(history),
                pools(now, history),
                waiting(now.waiting()),
                decisions.latest().stream().map(StatusDocument::entry).toList(),
                now.problems().stream().limit(PROBLEMS_NAMED).toList());
    }

    private static CostEntry cost(CostEstimate cost) {
        return new CostEntry(
                cost.perHour().setScale(2, RoundingMode.HALF_UP).toPlainString(),
                cost.withoutPrice(),
                cost.machinesWithoutPrice(),
                cost.unknown());
    }

    private static List<List<@Nullable Object>> totals(RoundHistory history) {
        var rows = new ArrayList<List<@Nullable Object>>();
        history.totals().samples().forEach(sample -> {
            var total = sample.value();
            rows.add(
                    Arrays.asList(sample.from().getEpochSecond(), total.waiting(), total.ready(), total.costPerHour()));
        });
        return rows;
    }

    private static List<PoolEntry> pools(ClusterStatus standing, RoundHistory history) {
        var states = standing.machines().stream()
                .collect(Collectors.groupingBy(
                        MachineLine::pool,
                        Collectors.groupingBy(MachineLine::state, TreeMap::new, Collectors.summingInt(machine -> 1))));
        return standing.pools().stream()
                .map(pool -> new PoolEntry(
                        pool,
                        states.getOrDefault(pool.name(), new TreeMap<>()),
                        sizes(Optional.ofNullable(history.pools().get(pool.name()))
                                .orElse(Track.empty()))))
                .toList();
    }

    private static List<List<@Nullable Object>> sizes(Track<RoundHistory.Size> track) {
        var rows = new ArrayList<List<@Nullable Object>>();
        track.samples().forEach(sample -> {
            var size = sample.value();
            rows.add(Arrays.asList(sample.from().getEpochSecond(), size.target(), size.ready(), size.upcoming()));
        });
        return rows;
    }

    private static Waiting waiting(List<WaitingLine> pods) {
        var counts = new LinkedHashMap<String, OutcomeCount>();
        for (var pod : pods) {
            counts.merge(
                    pod.outcome(),
                    new OutcomeCount(pod.outcome(), 1, pod.waitingSeconds()),
                    (a, b) -> new OutcomeCount(
                            a.outcome(), a.pods() + 1, Math.max(a.oldestSeconds(), b.oldestSeconds())));
        }
        return new Waiting(
                pods.size(),
                counts.values().stream()
                        .sorted(Comparator.comparing(OutcomeCount::pods)
                                .reversed()
                                .thenComparing(OutcomeCount::outcome))
                        .toList(),
                pods.stream().limit(PODS_NAMED).toList());
    }

    private static DecisionEntry entry(Decisions.Decision decision) {
        return new DecisionEntry(
                decision.at().toString(),
                decision.lastAt().toString(),
                decision.times(),
                decision.kind(),
                decision.name(),
                decision.warning(),
                decision.reason(),
                decision.message());
    }
}
