package dev.trainyard.cli;

import dev.trainyard.simulation.SimulationOutcome;
import dev.trainyard.simulation.SimulationOutcome.DeadlineCounts;
import dev.trainyard.simulation.SimulationOutcome.Waits;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table of the results of simulations.
 *
 * @param head the titles of the columns
 * @param rows the rows, each with as many cells as {@code head}
 */
record SimulateTable(List<String> head, List<List<String>> rows) {

    /** Returns the machines, the machine hours and the cost of each pool. */
    static SimulateTable pools(SimulationOutcome outcome) {
        return new SimulateTable(
                List.of("pool", "launched", "most", "hours", "cost"),
                outcome.pools().stream()
                        .map(pool -> List.of(
                                pool.pool(),
                                Integer.toString(pool.made()),
                                Integer.toString(pool.most()),
                                SimulateText.number(pool.hours()),
                                SimulateText.money(pool.cost())))
                        .toList());
    }

    /** Returns the waits of pods by their number of GPUs. */
    static SimulateTable waits(SimulationOutcome outcome) {
        return new SimulateTable(
                List.of("gpus", "ran", "wait p50", "p95", "max"),
                outcome.waitsByGpus().entrySet().stream()
                        .map(size -> {
                            var waits = size.getValue().waits();
                            return List.of(
                                    size.getKey(),
                                    Integer.toString(size.getValue().ran()),
                                    SimulateText.time(waits.p50()),
                                    SimulateText.time(waits.p95()),
                                    SimulateText.time(waits.max()));
                        })
                        .toList());
    }

    /** @param outcomes the outcome of the configured scenario, followed by the outcomes of its variations */
    static SimulateTable comparison(List<SimulationOutcome> outcomes) {
        return new SimulateTable(
                List.of("compared", "cost", "", "wait p50", "p95", "max", "ran", "waiting"),
                outcomes.stream()
                        .map(outcome -> compared(outcome, outcomes.get(0)))
                        .toList());
    }

    /** Returns tables of what reclaims cost, and of deadlines, as far as any of the outcomes has such values. */
    static List<SimulateTable> consequences(List<SimulationOutcome> outcomes) {
        return Stream.of(reclaims(outcomes), deadlines(outcomes))
                .flatMap(Optional::stream)
                .toList();
    }

    /** Returns how many Jobs met their deadlines, in each of the outcomes; empty if no Job has a deadline. */
    private static Optional<SimulateTable> deadlines(List<SimulationOutcome> outcomes) {
        return outcomes.stream().allMatch(outcome -> outcome.deadlines() == null)
                ? Optional.empty()
                : Optional.of(new SimulateTable(
                        List.of("deadlines", "met", "missed", "gpu hours used"),
                        outcomes.stream().map(SimulateTable::kept).toList()));
    }

    private static List<String> kept(SimulationOutcome outcome) {
        var deadlines = Optional.ofNullable(outcome.deadlines());
        return List.of(
                outcome.scenario(),
                Integer.toString(deadlines.map(DeadlineCounts::met).orElse(0)),
                Integer.toString(deadlines.map(DeadlineCounts::missed).orElse(0)),
                SimulateText.number(outcome.gpuHoursUsed()));
    }

    /** Returns what reclaims cost, in each of the outcomes; empty if they affected no pod in any of them. */
    private static Optional<SimulateTable> reclaims(List<SimulationOutcome> outcomes) {
        return outcomes.stream().allMatch(outcome -> outcome.reclaims() == null)
                ? Optional.empty()
                : Optional.of(new SimulateTable(
                        List.of("reclaimed", "pods", "saved", "gpu hours lost", "wait p50", "p95", "late p50", "p95"),
                        outcomes.stream().map(SimulateTable::reclaimed).toList()));
    }

    private static List<String> reclaimed(SimulationOutcome outcome) {
        var reclaims = outcome.reclaims();
        return reclaims == null
                ? List.of(outcome.scenario(), "0", "0", SimulateText.number(0), "-", "-", "-", "-")
                : List.of(
                        outcome.scenario(),
                        Integer.toString(reclaims.pods()),
                        Integer.toString(reclaims.saved()),
                        SimulateText.number(reclaims.gpuHoursLost()),
                        time(reclaims.waits(), Waits::p50),
                        time(reclaims.waits(), Waits::p95),
                        time(reclaims.delays(), Waits::p50),
                        time(reclaims.delays(), Waits::p95));
    }

    private static String time(@Nullable Waits waits, ToDoubleFunction<Waits> percentile) {
        return waits == null ? "-" : SimulateText.time(percentile.applyAsDouble(waits));
    }

    private static List<String> compared(SimulationOutcome outcome, SimulationOutcome usual) {
        var waits = outcome.waits();
        return List.of(
                outcome.scenario(),
                SimulateText.money(outcome.cost()),
                dearer(outcome, usual),
                time(waits, Waits::p50),
                time(waits, Waits::p95),
                time(waits, Waits::max),
                Integer.toString(outcome.ran()),
                Integer.toString(outcome.waiting().values().stream()
                        .mapToInt(Integer::intValue)
                        .sum()));
    }

    /**
     * Returns the cost difference to the configured scenario {@code usual} in percent; empty if {@code outcome} is that scenario, or if
     * {@code usual} costs 0.
     */
    private static String dearer(SimulationOutcome outcome, SimulationOutcome usual) {
        return outcome.equals(usual) || usual.cost() == 0
                ? ""
                : "%+.0f %%".formatted(100 * (outcome.cost() / usual.cost() - 1));
    }
}
