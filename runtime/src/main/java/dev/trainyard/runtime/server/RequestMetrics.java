package dev.trainyard.runtime.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Count and duration of requests by path and status: {@code trainyard_http_requests_seconds}. Thread-safe. */
final class RequestMetrics {
    /** The label for all paths without a handler, so that paths which callers make up create no new time series. */
    static final String UNKNOWN_PATH = "unknown";

    private static final Duration[] BUCKETS = {
        Duration.ofNanos(250_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
    };

    private record Series(String path, int status) {}

    private final MeterRegistry registry;
    private final String component;
    private final Map<Series, Timer> timers = new ConcurrentHashMap<>();
    private final Counter connectionFailures;

    RequestMetrics(MeterRegistry registry, String component) {
        this.registry = registry;
        this.component = component;
        this.connectionFailures = Counter.builder("trainyard.http.connection.failures")
                .description("Connections that failed before a request, for example in the TLS handshake")
                .tag("component", component)
                .register(registry);
    }

    void answered(String path, int status, long nanos) {
        timers.computeIfAbsent(new Series(path, status), this::timer).record(nanos, TimeUnit.NANOSECONDS);
    }

    void connectionFailed() {
        connectionFailures.increment();
    }

    private Timer timer(Series series) {
        return Timer.builder("trainyard.http.requests")
                .description("Time from the headers of a request to the end of its response")
                .tag("component", component)
                .tag("path", series.path())
                .tag("status", Integer.toString(series.status()))
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }
}
