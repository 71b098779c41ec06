package dev.trainyard.cli;

import dev.trainyard.scaler.offline.Standing;
import dev.trainyard.scaler.offline.Standing.MachineLine;
import dev.trainyard.scaler.offline.Standing.PoolLine;
import dev.trainyard.scaler.offline.Standing.WaitingLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A {@link Standing} for people. */
final class StandingText {

    /** Pods of one machine that are named. */
    private static final int NAMED = 2;

    private static final String NOTHING = "-";

    private StandingText() {}

    static String of(Standing standing) {
        var text = new StringBuilder();
        if (standing.pools().isEmpty()) {
            text.append("There is no TrainingPool that can be used.\n");
        } else {
            pools(text, standing.pools());
        }
        if (!standing.machines().isEmpty()) {
            text.append('\n');
            machines(text, standing.machines());
        }
        text.append('\n');
        if (standing.waiting().isEmpty()) {
            text.append("No pod waits for room.\n");
        } else {
            waiting(text, standing.waiting());
        }
        if (!standing.problems().isEmpty()) {
            text.append("\nProblems:\n");
            standing.problems()
                    .forEach(problem -> text.append("  ").append(problem).append('\n'));
        }
        return text.toString();
    }

    private static void pools(StringBuilder text, List<PoolLine> pools) {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of(
                "POOL", "TYPE", "MIN", "MAX", "TARGET", "READY", "UPCOMING", "IDLE", "COST/H", "BACK-OFF OR PROBLEM"));
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
                trouble(pool))));
        TextTable.append(text, rows);
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

    private static void machines(StringBuilder text, List<MachineLine> machines) {
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
        TextTable.append(text, rows);
    }

    private static String pods(List<String> pods) {
        if (pods.isEmpty()) {
            return NOTHING;
        }
        var some = String.join(",", pods.subList(0, Math.min(NAMED, pods.size())));
        return pods.size() <= NAMED ? some : "%s,+%d".formatted(some, pods.size() - NAMED);
    }

    private static void waiting(StringBuilder text, List<WaitingLine> waiting) {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("WAITING POD", "FOR", "REASON"));
        waiting.forEach(pod -> rows.add(List.of(pod.pod(), words(pod.waitingSeconds()), pod.reason())));
        TextTable.append(text, rows);
    }

    private static String number(@Nullable Integer number) {
        return number == null ? "?" : number.toString();
    }

    /** As kubectl writes ages: {@code 45s}, {@code 12m}, {@code 3h20m}, {@code 5d}. */
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
