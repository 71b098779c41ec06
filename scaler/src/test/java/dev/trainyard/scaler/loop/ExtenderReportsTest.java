package dev.trainyard.scaler.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.report.UnplacedPod;
import dev.trainyard.runtime.server.Request;
import dev.trainyard.scaler.MovedClock;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExtenderReportsTest {

    @Test
    void areTakenByTheScalerThatLeads() {
        var woken = new AtomicInteger();
        var reports = new ExtenderReports(woken::incrementAndGet, new MovedClock());
        var report = new Request(
                UnplacedPod.PATH,
                "",
                Buffer.buffer(
                        "{\"uid\":\"uid\",\"namespace\":\"team\",\"name\":\"train\",\"atMillis\":0,\"reasons\":{}}"),
                Optional.empty());

        assertThat(reports.take(report).status()).isEqualTo(503);
        assertThat(woken).hasValue(0);
        reports.lead();
        assertThat(reports.take(report).status()).isEqualTo(202);
        assertThat(woken).hasValue(1);
    }

    /** The extender may be one release older or newer. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"uid\":\"uid\"}                                                | 202",
                "{\"uid\":\"uid\",\"reasons\":{\"no GPU\":2},\"urgency\":{\"high\":1}} | 202",
                "{\"name\":\"train\",\"reasons\":{}}                            | 400",
            })
    void areTakenWithAllThatMatters(String report, int status) {
        var reports = new ExtenderReports(() -> {}, new MovedClock());
        reports.lead();

        assertThat(reports.take(new Request(UnplacedPod.PATH, "", Buffer.buffer(report), Optional.empty()))
                        .status())
                .isEqualTo(status);
    }

    @Test
    void tellsWhatTheExtenderSaidForAMinute() {
        var clock = new MovedClock();
        var reports = new ExtenderReports(() -> {}, clock);
        reports.remember(new UnplacedPod("uid", "team", "train", clock.millis(), Map.of("no GPU", 2)));

        clock.move(Duration.ofSeconds(59));
        assertThat(reports.reasons("uid")).contains("2 no GPU");
        clock.move(Duration.ofSeconds(1));
        assertThat(reports.reasons("uid")).isEmpty();
    }
}
