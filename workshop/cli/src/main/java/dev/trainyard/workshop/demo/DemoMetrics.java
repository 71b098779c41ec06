package dev.trainyard.workshop.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** A reader of single values from a component's {@code /metrics}. */
final class DemoMetrics {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();

    private DemoMetrics() {}

    /** Returns the sum of the series with this name and label; 0 if there is no such series, or if the component does not answer. */
    static double read(String url, String name, String label) {
        try {
            var request = HttpRequest.newBuilder(URI.create(url + "/metrics"))
                    .timeout(Duration.ofSeconds(2))
                    .build();
            return HTTP.send(request, BodyHandlers.ofLines())
                    .body()
                    .filter(line -> line.startsWith(name) && line.contains(label))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }
}
