package dev.trainyard.scaler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.report.UnplacedPod;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportsTest {

    @Test
    void tellsWhatTheExtenderSaidForAMinute() {
        var clock = new MovedClock();
        var reports = new Reports(() -> {}, clock);
        reports.remember(new UnplacedPod("uid", "team", "train", clock.millis(), Map.of("no GPU", 2)));

        clock.move(Duration.ofSeconds(59));
        assertThat(reports.reasons("uid")).contains("2 no GPU");
        clock.move(Duration.ofSeconds(1));
        assertThat(reports.reasons("uid")).isEmpty();
    }
}
