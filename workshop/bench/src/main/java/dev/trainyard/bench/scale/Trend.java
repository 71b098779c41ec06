package dev.trainyard.bench.scale;

import java.util.List;

/**
 * A straight line through measured values, by least squares.
 *
 * @param from value of the line at its start
 * @param to value of the line at its end
 * @param perThousand growth for each thousand pods
 * @param error standard error of {@code perThousand}
 */
public record Trend(double from, double to, double perThousand, double error) {

    private static final double THOUSAND = 1000;
    private static final int PARAMETERS = 2;

    /** A value when this many pods had been created. */
    record Point(double pods, double value) {}

    /** @throws IllegalArgumentException if there are fewer than three points, or all are at the same number of pods */
    static Trend of(List<Point> points) {
        double meanPods = points.stream().mapToDouble(Point::pods).average().orElse(0);
        double mean = points.stream().mapToDouble(Point::value).average().orElse(0);
        double spread = points.stream()
                .mapToDouble(point -> (point.pods - meanPods) * (point.pods - meanPods))
                .sum();
        if (points.size() <= PARAMETERS || spread == 0) {
            throw new IllegalArgumentException(
                    "a trend needs three values at different numbers of pods, but there are: " + points);
        }
        double slope = points.stream()
                        .mapToDouble(point -> (point.pods - meanPods) * (point.value - mean))
                        .sum()
                / spread;
        double squares = points.stream()
                .mapToDouble(point -> point.value - mean - slope * (point.pods - meanPods))
                .map(distance -> distance * distance)
                .sum();
        double first = points.stream().mapToDouble(Point::pods).min().orElseThrow();
        double last = points.stream().mapToDouble(Point::pods).max().orElseThrow();
        return new Trend(
                mean + slope * (first - meanPods),
                mean + slope * (last - meanPods),
                slope * THOUSAND,
                Math.sqrt(squares / (points.size() - PARAMETERS) / spread) * THOUSAND);
    }
}
