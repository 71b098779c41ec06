package dev.trainyard.cli;

import static dev.trainyard.cli.SimulatePlot.escaped;

import dev.trainyard.cli.SimulatePlot.Series;
import dev.trainyard.simulation.SimulationOutcome;
import dev.trainyard.simulation.SimulationOutcome.Sample;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The report of simulations as one self-contained HTML page, without scripts and external files. */
final class SimulateHtml {

    private final List<SimulationOutcome> outcomes;
    /** All pools, sorted. The index of a pool selects its colour in all plots. */
    private final List<String> pools;

    /** The length of the longest run, in seconds. The time axis of every plot has this length, so that readers can compare the plots. */
    private final double seconds;

    private final StringBuilder html = new StringBuilder();

    private SimulateHtml(List<SimulationOutcome> outcomes) {
        this.outcomes = outcomes;
        this.pools = outcomes.stream()
                .flatMap(outcome -> outcome.timeline().get(0).machines().keySet().stream())
                .distinct()
                .sorted()
                .toList();
        this.seconds =
                outcomes.stream().mapToDouble(SimulationOutcome::seconds).max().orElse(1);
    }

    static String of(List<SimulationOutcome> outcomes) {
        var page = new SimulateHtml(outcomes);
        page.write();
        return page.html.toString();
    }

    private void write() {
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .append("<title>Trainyard: simulation</title>\n<style>\n")
                .append(style())
                .append("</style>\n</head>\n<body>\n<main>\n<h1>Simulation of the workload</h1>\n");
        if (outcomes.size() > 1) {
            compare();
        }
        outcomes.forEach(this::write);
        html.append("</main>\n</body>\n</html>\n");
    }

    private void compare() {
        table(SimulateTable.comparison(outcomes));
        SimulateTable.consequences(outcomes).forEach(this::table);
        var costs = new ArrayList<Series>();
        for (var outcome : outcomes) {
            costs.add(series(outcome.scenario(), costs.size(), outcome, Sample::cost));
        }
        html.append(new SimulatePlot("Cost so far", seconds, most(Sample::cost), List.of(), costs).html());
    }

    private void write(SimulationOutcome outcome) {
        html.append("<section>\n<h2>%s</h2>\n".formatted(escaped(outcome.scenario())));
        html.append("<p>%s</p>\n".formatted(escaped(SimulateText.supposed(outcome))));
        SimulateText.summary(outcome).forEach(line -> html.append("<p>%s</p>\n".formatted(escaped(line))));
        table(SimulateTable.pools(outcome));
        plot(
                "Machines",
                machines(outcome),
                sample -> sample.machines().values().stream()
                        .mapToInt(Integer::intValue)
                        .sum());
        plot(
                "Pods",
                List.of(series("running", 0, outcome, Sample::running), series("waiting", 1, outcome, Sample::waiting)),
                sample -> sample.running() + sample.waiting());
        if (most(Sample::gpus) > 0) {
            plot(
                    "GPUs paid for",
                    List.of(
                            series("used", 0, outcome, Sample::gpusUsed),
                            series("idle", 1, outcome, sample -> Math.max(0, sample.gpus() - sample.gpusUsed()))),
                    Sample::gpus);
        }
        html.append("</section>\n");
    }

    private void plot(String title, List<Series> areas, ToDoubleFunction<Sample> together) {
        html.append(new SimulatePlot(title, seconds, most(together), areas, List.of()).html());
    }

    private List<Series> machines(SimulationOutcome outcome) {
        return outcome.timeline().get(0).machines().keySet().stream()
                .filter(pool -> outcome.timeline().stream()
                        .anyMatch(sample -> sample.machines().getOrDefault(pool, 0) > 0))
                .map(pool -> series(
                        pool,
                        pools.indexOf(pool),
                        outcome,
                        sample -> sample.machines().getOrDefault(pool, 0)))
                .toList();
    }

    private static Series series(String name, int colour, SimulationOutcome outcome, ToDoubleFunction<Sample> value) {
        return Series.of(name, colour, outcome.timeline(), Sample::at, value::applyAsDouble);
    }

    private double most(ToDoubleFunction<Sample> value) {
        return outcomes.stream()
                .flatMap(outcome -> outcome.timeline().stream())
                .mapToDouble(value)
                .max()
                .orElse(0);
    }

    private void table(SimulateTable table) {
        html.append("<div class=\"wide\" tabindex=\"0\"><table>\n<tr>");
        table.head().forEach(cell -> html.append("<th scope=\"col\">%s</th>".formatted(escaped(cell))));
        html.append("</tr>\n");
        for (var row : table.rows()) {
            html.append("<tr>");
            row.forEach(cell -> html.append("<td>%s</td>".formatted(escaped(cell))));
            html.append("</tr>\n");
        }
        html.append("</table></div>\n");
    }

    private static String style() {
        try (var stream = SimulateHtml.class.getResourceAsStream("simulate.css")) {
            if (stream == null) {
                throw new IllegalStateException("simulate.css is missing from the executable");
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
