package dev.trainyard.cli;

import dev.trainyard.scaler.lifecycle.NodeState;
import dev.trainyard.scaler.offline.ClusterStatus;
import dev.trainyard.scaler.offline.ClusterStatus.MachineLine;
import dev.trainyard.scaler.offline.ClusterStatus.PoolLine;
import dev.trainyard.scaler.offline.ClusterStatus.ReclaimedLine;
import dev.trainyard.scaler.offline.ClusterStatus.WaitingLine;
import dev.trainyard.scaler.offline.CostEstimate;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The text report of a {@link ClusterStatus}. */
final class StatusText {

    /** The largest number of pods that are named for each machine. */
    private static final int NAMED = 2;

    /** The largest number of excluded pools that the cost line lists for each reason. */
    private static final int POOLS_NAMED = 3;

    private static final String NOTHING = "-";
    private static final String BUSY = NodeState.BUSY.toString();

    private StatusText() {}

    /** Returns the full report. */
    static String of(ClusterStatus standing) {
        var sections = new ArrayList<ReportSection>();
        sections.add(pools(standing.pools()));
        cost(standing).ifPresent(sections::add);
        machines(standing.machines()).ifPresent(sections::add);
        sections.add(waiting(standing.waiting()));
        reclaimed(standing.reclaimed()).ifPresent(sections::add);
        problems(standing.problems()).ifPresent(sections::add);
        return sections.stream()
                .map(section -> Stream.concat(Stream.of(section.head()), section.lines().stream())
                        .collect(Collectors.joining("\n", "", "\n")))
                .collect(Collectors.joining("\n"));
    }

    /**
     * Returns as much of the report as fits on the screen. Listed first are pools with a problem or back-off, pods for which no machine is
     * requested, and machines that are not busy.
     */
    static String of(ClusterStatus standing, Terminal.Size size) {
        var sections = new ArrayList<ReportSection>();
        cost(standing).ifPresent(sections::add);
        sections.add(pools(sorted(standing.pools(), StatusText::rank)));
        sections.add(waiting(sorted(standing.waiting(), pod -> pod.isProvidedFor() ? 1 : 0)));
        problems(standing.problems()).ifPresent(sections::add);
        machines(sorted(standing.machines(), machine -> machine.state().equals(BUSY) ? 1 : 0))
                .ifPresent(sections::add);
        reclaimed(standing.reclaimed()).ifPresent(sections::add);
        // The last column stays empty: some terminals delete its text when they clear the rest of the line.
        return ScreenText.of(sections, size.rows(), size.columns() - 1);
    }

    private static <T> List<T> sorted(List<T> lines, ToIntFunction<T> rank) {
        return lines.stream().sorted(Comparator.comparingInt(rank)).toList();
    }

    private static int rank(PoolLine pool) {
        return pool.problem() != null ? 0 : pool.backOff() != null ? 1 : 2;
    }

    private static Optional<ReportSection> cost(ClusterStatus standing) {
        if (standing.pools().isEmpty()) {
            return Optional.empty();
        }
        var cost = CostEstimate.of(standing);
        boolean known = standing.pools().stream().anyMatch(pool -> pool.costPerHour() != null);
        var text = new StringBuilder("Cost: ")
                .append(known ? cost.perHour().setScale(2, RoundingMode.HALF_UP) + " an hour" : "not known");
        if (!cost.withoutPrice().isEmpty()) {
            int machines = cost.machinesWithoutPrice();
            text.append("; excluded: %d machine%s of pools without a price: %s"
                    .formatted(machines, machines == 1 ? "" : "s", names(cost.withoutPrice())));
        }
        if (!cost.unknown().isEmpty()) {
            text.append("; excluded, because they cannot be read: ").append(names(cost.unknown()));
        }
        return Optional.of(ReportSection.of(text.toString()));
    }

    private static String names(List<String> names) {
        var some = String.join(", ", names.subList(0, Math.min(POOLS_NAMED, names.size())));
        return names.size() <= POOLS_NAMED ? some : "%s and %d more".formatted(some, names.size() - POOLS_NAMED);
    }

    private static Optional<ReportSection> problems(List<String> problems) {
        return problems.isEmpty()
                ? Optional.empty()
                : Optional.of(new ReportSection(
                        "problems",
                        "Problems:",
                        problems.stream()
                                .map(problem -> "  " + TextTable.plain(problem))
                                .toList()));
    }

    private static ReportSection pools(List<PoolLine> pools) {
        if (pools.isEmpty()) {
            return ReportSection.of("There is no TrainingPool that can be used.");
        }
        var rows = new ArrayList<List<String>>();
        rows.add(List.of(
                "POOL",
                "TYPE",
                "MIN",
                "MAX",
                "TARGET",
                "READY",
                "UPCOMING",
                "IDLE",
                "COST/H",
                "LOST TIME",
                "BACK-OFF OR PROBLEM"));
        pools.forEach(pool -> rows.add(List.of(
                pool.name(),
                pool.capacityType(),
                Integer.toString(pool.min()),
                Integer.toString(pool.max()),
                number(pool.target()),
                Integer.toString(pool.ready()),
                number(pool.upcoming()),
                Integer.toString(pool.idle()),
                pool.costPerHour() == null ? NOTHING : pool.costPerHour(),
                pool.lostShare() == null ? NOTHING : lost(pool.lostShare()),
                trouble(pool))));
        return ReportSection.table("pools", rows);
    }

    private static String lost(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    private static String trouble(PoolLine pool) {
        if (pool.problem() != null) {
            return "cannot be read: " + pool.problem();
        }
        var backOff = pool.backOff();
        return backOff == null
                ? NOTHING
                : "%s left: %s: %s".formatted(words(backOff.secondsLeft()), backOff.kind(), backOff.reason());
    }

    private static Optional<ReportSection> machines(List<MachineLine> machines) {
        if (machines.isEmpty()) {
            return Optional.empty();
        }
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("MACHINE", "POOL", "STATE", "AGE", "IDLE", "PODS", "REASON"));
        machines.forEach(machine -> rows.add(List.of(
                machine.node(),
                machine.pool(),
                machine.state(),
                words(machine.ageSeconds()),
                machine.idleSeconds() == null ? NOTHING : words(machine.idleSeconds()),
                pods(machine.pods()),
                machine.reason())));
        return Optional.of(ReportSection.table("machines", rows));
    }

    private static String pods(List<String> pods) {
        if (pods.isEmpty()) {
            return NOTHING;
        }
        var some = String.join(",", pods.subList(0, Math.min(NAMED, pods.size())));
        return pods.size() <= NAMED ? some : "%s,+%d".formatted(some, pods.size() - NAMED);
    }

    private static ReportSection waiting(List<WaitingLine> waiting) {
        if (waiting.isEmpty()) {
            return ReportSection.of("No pod is pending.");
        }
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("PENDING POD", "FOR", "REASON"));
        waiting.forEach(pod -> rows.add(List.of(pod.pod(), words(pod.waitingSeconds()), pod.reason())));
        return ReportSection.table("pending pods", rows);
    }

    private static Optional<ReportSection> reclaimed(List<ReclaimedLine> jobs) {
        if (jobs.isEmpty()) {
            return Optional.empty();
        }
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("RECLAIMED JOB", "KIND", "TIER", "PODS LOST", "GPU HOURS LOST", "LAST"));
        jobs.forEach(job -> rows.add(List.of(
                job.job(),
                job.kind(),
                job.tier(),
                Integer.toString(job.times()),
                String.format(Locale.ROOT, "%.1f", job.gpuSeconds() / 3600.0),
                job.last())));
        return Optional.of(ReportSection.table("reclaimed jobs", rows));
    }

    private static String number(@Nullable Integer number) {
        return number == null ? "?" : number.toString();
    }

    /** Returns a duration as kubectl prints ages: {@code 45s}, {@code 12m}, {@code 3h20m}, {@code 5d}. */
    private static String words(long seconds) {
        var time = Duration.ofSeconds(seconds);
        if (time.toMinutes() < 2) {
            return seconds + "s";
        }
        if (time.toHours() < 2) {
            return time.toMinutes() + "m";
        }
        return time.toDays() < 2 ? "%dh%dm".formatted(time.toHours(), time.toMinutesPart()) : time.toDays() + "d";
    }
}
