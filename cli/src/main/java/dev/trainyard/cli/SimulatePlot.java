package dev.trainyard.cli;

import dev.trainyard.core.Durations;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * A plot over time, as SVG: stacked areas, or lines.
 *
 * @param title the caption, and the label for screen readers
 * @param seconds the length of the time axis
 * @param most the largest value; plots with an equal {@code most} have the same scale
 * @param areas the stacked areas, the lowest first
 */
record SimulatePlot(String title, double seconds, double most, List<Series> areas, List<Series> lines) {

    /** The number of colours and patterns in {@code simulate.css}. */
    static final int COLOURS = 12;

    private static final double LEFT = 48;
    private static final double RIGHT = 708;
    private static final double TOP = 10;
    private static final double BOTTOM = 178;
    /** The largest number of steps on the time axis. With more steps, their labels would touch. */
    private static final int LABELS = 8;

    private static final int HEIGHTS = 5;
    private static final List<Duration> STEPS = List.of(
            Duration.ofSeconds(10),
            Duration.ofMinutes(1),
            Duration.ofMinutes(2),
            Duration.ofMinutes(5),
            Duration.ofMinutes(10),
            Duration.ofMinutes(30),
            Duration.ofHours(1),
            Duration.ofHours(2),
            Duration.ofHours(6),
            Duration.ofHours(12),
            Duration.ofHours(24),
            Duration.ofHours(48),
            Duration.ofHours(168));

    /** @param at seconds after the start */
    record Point(double at, double value) {}

    /**
     * The values of one quantity over time, such as the machines of a pool. Each value holds until the next point.
     *
     * @param colour the index of the colour, modulo {@code COLOURS}
     */
    record Series(String name, int colour, List<Point> points) {

        static <T> Series of(
                String name, int colour, List<T> samples, Function<T, Double> at, Function<T, Double> value) {
            return new Series(
                    name,
                    colour,
                    samples.stream()
                            .map(sample -> new Point(at.apply(sample), value.apply(sample)))
                            .toList());
        }
    }

    /** Returns the plot with its title above and its legend below. */
    String html() {
        var html = new StringBuilder("<figure>\n<figcaption>%s</figcaption>\n".formatted(escaped(title)))
                .append("<div class=\"wide\" tabindex=\"0\">\n<svg viewBox=\"0 0 720 200\" role=\"img\"")
                .append(" aria-label=\"%s over time, at most %s\">\n".formatted(escaped(title), number(most)));
        double step = height();
        double top = Math.max(step, Math.ceil(most / step) * step);
        heights(html, step, top);
        times(html);
        var ground = new double[areas.isEmpty() ? 0 : areas.get(0).points().size()];
        for (var area : areas) {
            html.append("<path class=\"area c%d\" d=\"%s\"/>\n"
                    .formatted(area.colour() % COLOURS, path(area, ground, top)));
        }
        for (var line : lines) {
            html.append("<path class=\"line c%d\" d=\"%s\"/>\n".formatted(line.colour() % COLOURS, path(line, top)));
        }
        html.append("</svg>\n</div>\n<ul class=\"legend\">\n");
        areas.forEach(area -> legend(html, area, "area"));
        lines.forEach(line -> legend(html, line, "line"));
        return html.append("</ul>\n</figure>\n").toString();
    }

    /** Returns the step of the value axis: 1, 2 or 5 times a power of ten, so that five steps reach {@code most}. */
    private double height() {
        double tenth = Math.pow(10, Math.floor(Math.log10(Math.max(1, most) / HEIGHTS)));
        for (double factor : new double[] {1, 2, 5}) {
            if (factor * tenth * HEIGHTS >= most && factor * tenth >= 1) {
                return factor * tenth;
            }
        }
        return Math.max(1, 10 * tenth);
    }

    private static void heights(StringBuilder html, double step, double top) {
        for (double value = 0; value <= top; value += step) {
            double y = y(value, top);
            html.append(coordinates(
                            "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                            LEFT, y, RIGHT, y))
                    .append(coordinates("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 6, y + 4))
                    .append(number(value))
                    .append("</text>\n");
        }
    }

    private void times(StringBuilder html) {
        long step = STEPS.stream()
                .mapToLong(Duration::toSeconds)
                .filter(candidate -> seconds / candidate <= LABELS)
                .findFirst()
                .orElseGet(() -> Math.round(Math.ceil(seconds / LABELS / 86400)) * 86400);
        for (long at = 0; at <= seconds; at += step) {
            double x = x((double) at);
            html.append(coordinates(
                            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">",
                            x, BOTTOM + 16, at == 0 ? "start" : x > RIGHT - 20 ? "end" : "middle"))
                    .append(Durations.format(Duration.ofSeconds(at)))
                    .append("</text>\n");
        }
    }

    /**
     * Returns the outline of {@code area} on top of the areas below, and adds the values of the area to {@code ground}.
     *
     * @param ground the sums of the areas below, one for each point
     */
    private String path(Series area, double[] ground, double top) {
        var points = area.points();
        var back = new StringBuilder();
        double right = points.isEmpty() ? LEFT : x(points.get(points.size() - 1).at());
        double last = Double.NaN;
        for (int i = points.size() - 1; i >= 0; i--) {
            double low = y(ground[i], top);
            double left = x(points.get(i).at());
            boolean stays = i > 0 && ground[i - 1] == ground[i];
            back.append(low == last ? "" : coordinates("V%.1f", low)).append(stays ? "" : coordinates("H%.1f", left));
            last = low;
            ground[i] += points.get(i).value();
        }
        var up = new StringBuilder();
        for (int i = 0; i < points.size(); i++) {
            double high = y(ground[i], top);
            if (i == 0) {
                up.append(coordinates("M%.1f %.1f", x(points.get(i).at()), high));
            } else if (ground[i] != ground[i - 1]) {
                up.append(coordinates("H%.1fV%.1f", x(points.get(i).at()), high));
            }
        }
        return up.append(coordinates("H%.1f", right)).append(back).append('Z').toString();
    }

    private String path(Series line, double top) {
        var path = new StringBuilder();
        double last = Double.NaN;
        double right = LEFT;
        for (var point : line.points()) {
            double y = y(point.value(), top);
            right = x(point.at());
            if (path.isEmpty()) {
                path.append(coordinates("M%.1f %.1f", right, y));
            } else if (y != last) {
                path.append(coordinates("H%.1fV%.1f", right, y));
            }
            last = y;
        }
        return path.append(coordinates("H%.1f", right)).toString();
    }

    private static void legend(StringBuilder html, Series series, String kind) {
        html.append(
                "<li><svg class=\"key\" viewBox=\"0 0 24 10\" aria-hidden=\"true\"><path class=\"%s c%d\" d=\"%s\"/></svg>%s</li>\n"
                        .formatted(
                                kind,
                                series.colour() % COLOURS,
                                kind.equals("area") ? "M0 0H24V10H0Z" : "M0 5H24",
                                escaped(series.name())));
    }

    private double x(double at) {
        return LEFT + at / Math.max(1, seconds) * (RIGHT - LEFT);
    }

    private static double y(double value, double top) {
        return BOTTOM - value / top * (BOTTOM - TOP);
    }

    private static String coordinates(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** Returns the value in a form that fits into the margin, such as 15k or 2.5M. */
    private static String number(double value) {
        double thousands = value >= 1e7 ? 1e6 : value >= 1e4 ? 1e3 : 1;
        double shown = value / thousands;
        return coordinates(
                shown == Math.rint(shown) ? "%.0f%s" : "%.1f%s",
                shown,
                thousands == 1e6 ? "M" : thousands == 1e3 ? "k" : "");
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
