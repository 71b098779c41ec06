package dev.trainyard.cli;

import dev.trainyard.core.Durations;
import dev.trainyard.simulation.Outcome;
import dev.trainyard.simulation.Outcome.Sample;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What simulations came to, as one page that needs nothing else: no script, and nothing is loaded. */
final class SimulateHtml {

    private static final int COLOURS = 6;
    private static final double LEFT = 44;
    private static final double RIGHT = 708;
    private static final double TOP = 10;
    private static final double BOTTOM = 178;
    private static final int TICKS = 6;

    private final StringBuilder html = new StringBuilder();

    private SimulateHtml() {}

    static String of(List<Outcome> outcomes) {
        var page = new SimulateHtml();
        page.write(outcomes);
        return page.html.toString();
    }

    private void write(List<Outcome> outcomes) {
        html.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
                .append("<title>Trainyard: simulation</title>\n<style>\n")
                .append(style())
                .append("</style>\n</head>\n<body>\n<main>\n<h1>What it would do with the workload</h1>\n");
        if (outcomes.size() > 1) {
            compare(outcomes);
        }
        outcomes.forEach(this::write);
        html.append("</main>\n</body>\n</html>\n");
    }

    private void compare(List<Outcome> outcomes) {
        var rows = new ArrayList<List<String>>();
        for (var outcome : outcomes) {
            var waits = outcome.waits();
            rows.add(List.of(
                    outcome.scenario(),
                    SimulateText.money(outcome.cost()),
                    waits == null ? "-" : SimulateText.time(waits.p50()),
                    waits == null ? "-" : SimulateText.time(waits.p95()),
                    waits == null ? "-" : SimulateText.time(waits.max()),
                    Integer.toString(outcome.ran()),
                    Integer.toString(SimulateText.waiting(outcome))));
        }
        table(List.of("compared", "cost", "wait p50", "p95", "max", "ran", "waiting"), rows);
    }

    private void write(Outcome outcome) {
        html.append("<section>\n<h2>%s</h2>\n".formatted(escaped(outcome.scenario())));
        SimulateText.summary(outcome).forEach(line -> html.append("<p>%s</p>\n".formatted(escaped(line))));
        var rows = new ArrayList<List<String>>();
        outcome.pools()
                .forEach(pool -> rows.add(List.of(
                        pool.pool(),
                        Integer.toString(pool.made()),
                        Integer.toString(pool.most()),
                        SimulateText.number(pool.hours()),
                        SimulateText.money(pool.cost()))));
        table(List.of("pool", "bought", "most", "hours", "cost"), rows);
        var machines = new LinkedHashMap<String, ToDoubleFunction<Sample>>();
        outcome.timeline()
                .get(0)
                .machines()
                .keySet()
                .forEach(pool -> machines.put(pool, sample -> sample.machines().getOrDefault(pool, 0)));
        chart("Machines", outcome, machines);
        var pods = new LinkedHashMap<String, ToDoubleFunction<Sample>>();
        pods.put("running", Sample::running);
        pods.put("waiting", Sample::waiting);
        chart("Pods", outcome, pods);
        html.append("</section>\n");
    }

    private void table(List<String> head, List<List<String>> rows) {
        html.append("<div class=\"wide\" tabindex=\"0\"><table>\n<tr>");
        head.forEach(cell -> html.append("<th scope=\"col\">%s</th>".formatted(escaped(cell))));
        html.append("</tr>\n");
        for (var row : rows) {
            html.append("<tr>");
            row.forEach(cell -> html.append("<td>%s</td>".formatted(escaped(cell))));
            html.append("</tr>\n");
        }
        html.append("</table></div>\n");
    }

    private void chart(String title, Outcome outcome, Map<String, ToDoubleFunction<Sample>> lines) {
        double most = 1;
        for (var line : lines.values()) {
            for (var sample : outcome.timeline()) {
                most = Math.max(most, line.applyAsDouble(sample));
            }
        }
        double length = Math.max(1, outcome.seconds());
        html.append(
                "<h3>%s</h3>\n<svg viewBox=\"0 0 720 200\" role=\"img\" aria-label=\"%s over time, at most %.0f\">\n"
                        .formatted(title, title, most));
        for (double share : new double[] {0, 0.5, 1}) {
            double y = BOTTOM - share * (BOTTOM - TOP);
            html.append(coordinates(
                    "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", LEFT, y, RIGHT, y));
            html.append(coordinates("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 6, y + 4))
                    .append(number(share * most))
                    .append("</text>\n");
        }
        for (int tick = 0; tick <= TICKS; tick++) {
            double x = LEFT + (RIGHT - LEFT) * tick / TICKS;
            html.append(coordinates(
                            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">",
                            x, BOTTOM + 16, tick == 0 ? "start" : tick == TICKS ? "end" : "middle"))
                    .append(Durations.format(Duration.ofSeconds(Math.round(length * tick / TICKS / 60) * 60)))
                    .append("</text>\n");
        }
        int colour = 0;
        for (var line : lines.values()) {
            plot(outcome.timeline(), line, length, most, colour++ % COLOURS);
        }
        html.append("</svg>\n<ul class=\"legend\">\n");
        colour = 0;
        for (var name : lines.keySet()) {
            html.append("<li><span class=\"c%d\"></span>%s</li>\n".formatted(colour++ % COLOURS, escaped(name)));
        }
        html.append("</ul>\n");
    }

    /** In steps: it stayed as it was until it was seen to be otherwise. */
    private void plot(List<Sample> timeline, ToDoubleFunction<Sample> line, double length, double most, int colour) {
        html.append("<path class=\"plot c%d\" d=\"".formatted(colour));
        double last = Double.NaN;
        for (var sample : timeline) {
            double x = LEFT + sample.at() / length * (RIGHT - LEFT);
            double y = BOTTOM - line.applyAsDouble(sample) / most * (BOTTOM - TOP);
            if (Double.isNaN(last)) {
                html.append(coordinates("M%.1f %.1f", x, y));
            } else if (y != last) {
                html.append(coordinates("H%.1fV%.1f", x, y));
            }
            last = y;
        }
        html.append(coordinates("H%.1f\"/>\n", RIGHT));
    }

    private static String coordinates(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static String number(double value) {
        return value == Math.rint(value) ? coordinates("%.0f", value) : coordinates("%.1f", value);
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

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
