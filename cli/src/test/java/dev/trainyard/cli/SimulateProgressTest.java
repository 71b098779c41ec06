package dev.trainyard.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SimulateProgressTest {

    private final AtomicLong nanos = new AtomicLong();
    private final StringWriter err = new StringWriter();
    private final SimulateProgress progress =
            new SimulateProgress("as configured", Optional.of(Duration.ofDays(7)), new PrintWriter(err), nanos::get);

    @Test
    void tellsEverySoOftenHowMuchTimeHasPassed() {
        for (int hour = 1; hour <= 40; hour++) {
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            progress.passed(Duration.ofHours(hour));
        }

        assertThat(err.toString().lines())
                .containsExactly("as configured: 15h of 168h simulated", "as configured: 30h of 168h simulated");
    }

    @Test
    void saysNothingOfAShortRun() {
        nanos.set(SimulateProgress.EVERY.toNanos() - 1);
        progress.passed(Duration.ofDays(7));

        assertThat(err.toString()).isEmpty();
    }
}
