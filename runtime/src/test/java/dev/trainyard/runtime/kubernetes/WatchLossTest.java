package dev.trainyard.runtime.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WatchLossTest {

    private final AtomicLong now = new AtomicLong(-5);
    private final WatchLoss loss = new WatchLoss(Duration.ofSeconds(60), now::get);

    @Test
    void aWatchThatIsRenewedInTimeIsNotLost() {
        for (int time = 0; time < 10; time++) {
            now.addAndGet(Duration.ofSeconds(50).toNanos());
            assertThat(loss.isLost(false)).isFalse();
            assertThat(loss.isLost(true)).isFalse();
        }
    }

    @Test
    void oneThatStaysDeadIsLostUntilItIsBack() {
        now.addAndGet(Duration.ofSeconds(61).toNanos());

        assertThat(loss.isLost(false)).isTrue();
        assertThat(loss.isLost(true)).isFalse();
        assertThat(loss.isLost(false)).isFalse();
    }
}
