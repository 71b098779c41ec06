package dev.trainyard.scaler.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TimeLimitedReadingTest {

    private final CountDownLatch free = new CountDownLatch(1);
    private TimeLimitedReading reading = new TimeLimitedReading(Duration.ofMinutes(5), Duration.ofMinutes(5));

    @AfterEach
    void stop() {
        free.countDown();
        reading.close();
    }

    @Test
    void readsWhatIsQuick() {
        assertThat(reading.read("a", () -> "read")).contains("read");
    }

    @Test
    void throwsWhatReadingThrows() {
        assertThatThrownBy(() -> reading.read("a", () -> {
                    throw new IllegalStateException("odd");
                }))
                .hasRootCauseMessage("odd");
    }

    @Test
    void readsNothingMoreWhenTheTimeOfTheRoundIsOver() {
        reading = new TimeLimitedReading(Duration.ofMinutes(5), Duration.ZERO);
        assertThat(reading.read("a", () -> "read")).isEmpty();
        assertThat(reading.read("b", () -> "read")).isEmpty();
    }

    @Test
    void readsNothingMoreWhileTooManyThreadsAreKept() {
        reading = new TimeLimitedReading(Duration.ofMillis(1), Duration.ofMinutes(5));
        Supplier<String> slow = this::slow;
        for (int object = 0; object < 8; object++) {
            assertThat(reading.read("slow " + object, slow)).isEmpty();
        }
        reading.begin();
        var begun = new CountDownLatch(1);
        assertThat(reading.read("other", () -> {
                    begun.countDown();
                    return "read";
                }))
                .isEmpty();
        assertThat(begun.getCount()).isEqualTo(1);
    }

    @Test
    void beginsALateReadingOnlyOnceAndUsesItsEnd() {
        reading = new TimeLimitedReading(Duration.ofMillis(1), Duration.ofMinutes(5));
        assertThat(reading.read("a", this::slow)).isEmpty();
        reading.begin();
        assertThat(reading.read("a", () -> "again")).isEmpty();
        free.countDown();

        Optional<String> late = Optional.empty();
        while (late.isEmpty()) {
            reading.begin();
            late = reading.read("a", () -> "again");
            Thread.onSpinWait();
        }
        assertThat(late).contains("slow");
    }

    private String slow() {
        try {
            free.await();
            return "slow";
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
