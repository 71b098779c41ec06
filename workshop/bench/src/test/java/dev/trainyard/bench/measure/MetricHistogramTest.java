package dev.trainyard.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class MetricHistogramTest {

    private static final String METRICS = """
            # TYPE trainyard_http_requests_seconds histogram
            trainyard_http_requests_seconds_bucket{component="extender",path="/filter",status="200",le="0.001"} 10
            trainyard_http_requests_seconds_bucket{component="extender",path="/filter",status="200",le="0.0025"} 90
            trainyard_http_requests_seconds_bucket{component="extender",path="/filter",status="200",le="0.5"} 98
            trainyard_http_requests_seconds_bucket{component="extender",path="/filter",status="200",le="+Inf"} 100
            trainyard_http_requests_seconds_count{component="extender",path="/filter",status="200"} 100
            trainyard_http_requests_seconds_sum{component="extender",path="/filter",status="200"} 0.25
            trainyard_http_requests_seconds_count{component="extender",path="/filter",status="400"} 7
            trainyard_http_requests_seconds_sum{component="extender",path="/filter",status="400"} 9.0
            trainyard_http_requests_seconds_count{component="extender",path="/prioritize",status="200"} 3
            """;

    private final MetricHistogram times = read(METRICS, "/filter");

    @Test
    void countsDurationsWithTheLabelsOnly() {
        assertThat(times.count()).isEqualTo(100);
        assertThat(times.mean()).isCloseTo(2500, within(1e-6));
        assertThat(read(METRICS, "/prioritize").count()).isEqualTo(3);
        assertThat(read(METRICS, "/other").mean()).isZero();
    }

    @Test
    void takesDurationsToLieEvenlyWithinABucket() {
        assertThat(times.quantile(0.05)).isCloseTo(500, within(1e-6));
        assertThat(times.quantile(0.5)).isCloseTo(1750, within(1e-6));
        assertThat(times.quantile(0.9)).isCloseTo(2500, within(1e-6));
    }

    @Test
    void knowsNoMoreThanTheLastLimit() {
        assertThat(times.quantile(0.99)).isCloseTo(500_000, within(1e-6));
    }

    @Test
    void leavesOutWhatCameBefore() {
        var before = read("""
                trainyard_http_requests_seconds_bucket{path="/filter",status="200",le="0.001"} 10
                trainyard_http_requests_seconds_bucket{path="/filter",status="200",le="0.0025"} 10
                trainyard_http_requests_seconds_bucket{path="/filter",status="200",le="0.5"} 10
                trainyard_http_requests_seconds_bucket{path="/filter",status="200",le="+Inf"} 10
                trainyard_http_requests_seconds_count{path="/filter",status="200"} 10
                trainyard_http_requests_seconds_sum{path="/filter",status="200"} 0.07
                """, "/filter");

        var since = times.since(before);

        assertThat(since.count()).isEqualTo(90);
        assertThat(since.mean()).isCloseTo(2000, within(1e-6));
        assertThat(since.quantile(0.5)).isCloseTo(1000 + 1500 * 45 / 80.0, within(1e-6));
    }

    private static MetricHistogram read(String text, String path) {
        return MetricHistogram.of(
                new MetricsPage(text), "trainyard_http_requests_seconds", "path=\"" + path + "\"", "status=\"200\"");
    }
}
