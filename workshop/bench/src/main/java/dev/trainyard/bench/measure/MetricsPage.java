package dev.trainyard.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The metrics of a server at one time, in Prometheus' text format. */
public record MetricsPage(String text) {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Pattern LABEL = Pattern.compile("(?:^|,)(\\w+)=\"([^\"]*)\"");

    /** A line of the page. */
    record Line(String labels, double value) {

        /** @throws IllegalArgumentException if the line has no such label */
        String label(String name) {
            var label = LABEL.matcher(labels);
            while (label.find()) {
                if (label.group(1).equals(name)) {
                    return label.group(2);
                }
            }
            throw new IllegalArgumentException("a metric has no label %s; its labels are: %s".formatted(name, labels));
        }
    }

    /** Reads the page of a server. */
    public static MetricsPage read(URI uri) {
        try {
            return new MetricsPage(HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                    .body());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + uri, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while reading " + uri, e);
        }
    }

    /**
     * Returns the sum of all series of a metric; 0 if there is none.
     *
     * @param labels required labels, such as {@code path="/filter"}
     */
    public double sum(String name, String... labels) {
        return lines(name, List.of(labels)).stream().mapToDouble(Line::value).sum();
    }

    List<Line> lines(String name, List<String> labels) {
        var line = Pattern.compile("(?m)^%s(?:\\{(.*)\\})? (\\S+)$".formatted(Pattern.quote(name)))
                .matcher(text);
        var found = new ArrayList<Line>();
        while (line.find()) {
            var those = line.group(1) == null ? "" : line.group(1);
            if (labels.stream().allMatch(those::contains)) {
                found.add(new Line(those, Double.parseDouble(line.group(2))));
            }
        }
        return found;
    }
}
