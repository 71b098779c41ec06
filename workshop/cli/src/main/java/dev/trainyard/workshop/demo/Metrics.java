package dev.trainyard.workshop.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Reads single figures from a part's {@code /metrics}. */
final class Metrics {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();

    private Metrics() {}

    /** The sum over the series of that name with that label; 0 when there is none, or nobody answers. */
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
