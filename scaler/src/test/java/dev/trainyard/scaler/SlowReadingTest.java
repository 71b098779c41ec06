package dev.trainyard.scaler;

import static dev.trainyard.scaler.Objects.spot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.ReadingLimit;
import dev.trainyard.scaler.observe.TimeLimitedReading;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A pod whose reading never ends. */
class SlowReadingTest {

    private final CountDownLatch free = new CountDownLatch(1);
    private final TimeLimitedReading limit = new TimeLimitedReading(Duration.ofSeconds(1), Duration.ofMinutes(5));
    private final ScalerFixture world =
            new ScalerFixture().pool("light-spot", spot(5)).tier("light-gpu", "light-spot");

    @AfterEach
    void stop() {
        free.countDown();
        limit.close();
    }

    @Test
    void aPodThatIsNotReadInTimeDelaysNoOtherAndIsServedWhenItIsRead() {
        world.restartWith(new SlowFor("slow-1"));
        world.waiting(1, "slow", "light-gpu", "nvidia.com/gpu", "1")
                .waiting(1, "train", "light-gpu", "nvidia.com/gpu", "1");

        world.round();

        assertThat(world.cloud.calls).containsExactly("grow light-spot 0->1");
        assertThat(world.eventsOf("slow-1"))
                .anyMatch(event -> event.contains("NotPlaceable") && event.contains("not read in time"));
        assertThat(world.eventsOf("train-1")).noneMatch(event -> event.contains("NotPlaceable"));

        free.countDown();
        long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        var snapshot = world.round().snapshot();
        while (!snapshot.unreadable().isEmpty() && System.nanoTime() < end) {
            snapshot = world.round().snapshot();
        }
        assertThat(snapshot.unreadable()).isEmpty();
        assertThat(snapshot.waiting()).extracting(PendingPod::name).containsExactlyInAnyOrder("slow-1", "train-1");
    }

    /** An injected parser that reads one pod slowly. */
    private final class SlowFor implements ReadingLimit {

        private final String pod;

        private SlowFor(String pod) {
            this.pod = pod;
        }

        @Override
        public void begin() {
            limit.begin();
        }

        @Override
        public <R> Optional<R> read(String key, Supplier<R> reading) {
            return limit.read(key, key.contains("/" + pod + "/") ? () -> slowly(reading) : reading);
        }

        private <R> R slowly(Supplier<R> reading) {
            try {
                free.await();
                return reading.get();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
