package dev.trainyard.cli;

import dev.trainyard.core.Durations;
import dev.trainyard.simulation.SimulationOutcome;
import dev.trainyard.simulation.SimulationOutcome.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The text report of simulations. */
final class SimulateText {

    private static final int COLUMNS = 60;
    private static final String LEVELS = " ▁▂▃▄▅▆▇█";

    private SimulateText() {}

    static String of(List<SimulationOutcome> outcomes) {
        var text = new StringBuilder();
        for (var outcome : outcomes) {
            text.append(text.isEmpty() ? "" : "\n");
            append(text, outcome);
        }
        if (outcomes.size() > 1) {
            text.append('\n');
            append(text, SimulateTable.comparison(outcomes));
            SimulateTable.consequences(outcomes).forEach(table -> {
                text.append('\n');
                append(text, table);
            });
        }
        return text.toString();
    }

    private static void append(StringBuilder text, SimulationOutcome outcome) {
        text.append(outcome.scenario()).append(": ").append(supposed(outcome)).append('\n');
        summary(outcome).forEach(line -> text.append(line).append('\n'));
        text.append('\n');
        append(text, SimulateTable.pools(outcome));
        text.append('\n');
        if (outcome.waitsByGpus().size() > 1) {
            append(text, SimulateTable.waits(outcome));
            text.append('\n');
        }
        timeline(text, outcome);
    }

    private static void append(StringBuilder text, SimulateTable table) {
        var rows = new ArrayList<List<String>>();
        rows.add(
                table.head().stream().map(word -> word.toUpperCase(Locale.ROOT)).toList());
        rows.addAll(table.rows());
        TextTable.append(text, rows);
    }

    /** Returns the simulated time, the seed and the faults of a run. */
    static String supposed(SimulationOutcome outcome) {
        return "%s simulated, seed %d%s"
                .formatted(
                        time(outcome.seconds()),
                        outcome.seed(),
                        outcome.faults().isEmpty() ? "" : ", with " + String.join(", ", outcome.faults()));
    }

    /** Returns the results, one sentence per line. */
    static List<String> summary(SimulationOutcome outcome) {
        var lines = new ArrayList<String>();
        lines.add("%d pods, %d ran%s"
                .formatted(
                        outcome.pods(),
                        outcome.ran(),
                        outcome.lost() == 0 ? "" : ", %d lost while they ran".formatted(outcome.lost())));
        outcome.refused().forEach((why, count) -> lines.add("refused: %d, by %s".formatted(count, why)));
        var waits = outcome.waits();
        if (waits != null) {
            lines.add("waiting time until pods ran: median %s, 95th percentile %s, longest %s"
                    .formatted(time(waits.p50()), time(waits.p95()), time(waits.max())));
        }
        var reclaims = outcome.reclaims();
        if (reclaims != null) {
            lines.add("reclaims ended %d running pods; %d of them saved their state; %s GPU hours were lost"
                    .formatted(reclaims.pods(), reclaims.saved(), number(reclaims.gpuHoursLost())));
            lines.addAll(replacementTimes("end of the pod", reclaims.waits()));
            lines.addAll(replacementTimes("reclaim", reclaims.delays()));
        }
        var deadlines = outcome.deadlines();
        if (deadlines != null) {
            lines.add("%d Jobs met their deadline, %d missed it".formatted(deadlines.met(), deadlines.missed()));
        }
        if (outcome.failedJobs() > 0) {
            lines.add("%d Jobs failed: each of these Jobs lost more pods than its backoffLimit allows"
                    .formatted(outcome.failedJobs()));
        }
        outcome.waiting().forEach((why, count) -> lines.add("still waiting: %d: %s".formatted(count, why)));
        lines.add("machines cost %s; of %s GPU hours paid for, %s were used%s"
                .formatted(
                        money(outcome.cost()),
                        number(outcome.gpuHoursPaid()),
                        number(outcome.gpuHoursUsed()),
                        outcome.gpuHoursPaid() == 0
                                ? ""
                                : " (%.0f %%)".formatted(100 * outcome.gpuHoursUsed() / outcome.gpuHoursPaid())));
        return lines;
    }

    private static List<String> replacementTimes(String since, @Nullable Waits waits) {
        return waits == null
                ? List.of()
                : List.of("time from the %s until its replacement ran: median %s, 95th percentile %s"
                        .formatted(since, time(waits.p50()), time(waits.p95())));
    }

    private static void timeline(StringBuilder text, SimulationOutcome outcome) {
        var lines = new TreeMap<String, double[]>();
        var samples = outcome.timeline();
        for (int i = 0; i < samples.size(); i++) {
            var sample = samples.get(i);
            // The values of a sample hold until the next sample.
            int from = column(sample, outcome);
            int to = i + 1 < samples.size() ? Math.max(from, column(samples.get(i + 1), outcome) - 1) : COLUMNS - 1;
            for (int column = from; column <= to; column++) {
                int of = column;
                sample.machines().forEach((pool, machines) -> keep(lines, "machines " + pool, of, machines));
                keep(lines, "pods running", of, sample.running());
                keep(lines, "pods waiting", of, sample.waiting());
            }
        }
        var rows = new ArrayList<List<String>>();
        lines.forEach((name, values) -> {
            double most = 0;
            for (double value : values) {
                most = Math.max(most, value);
            }
            rows.add(List.of(name, "|" + bars(values, most) + "|", "most %.0f".formatted(most)));
        });
        TextTable.append(text, rows);
    }

    private static int column(SimulationOutcome.Sample sample, SimulationOutcome outcome) {
        return (int) Math.min(COLUMNS - 1, sample.at() / Math.max(1, outcome.seconds()) * COLUMNS);
    }

    private static void keep(Map<String, double[]> lines, String name, int column, int value) {
        var values = lines.computeIfAbsent(name, any -> new double[COLUMNS]);
        values[column] = Math.max(values[column], value);
    }

    private static String bars(double[] values, double most) {
        var bars = new StringBuilder();
        for (double value : values) {
            int level = most == 0 ? 0 : (int) Math.ceil(value / most * (LEVELS.length() - 1));
            bars.append(LEVELS.charAt(level));
        }
        return bars.toString();
    }

    static String time(double seconds) {
        return Durations.format(Duration.ofSeconds(Math.round(seconds)));
    }

    static String money(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    static String number(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
