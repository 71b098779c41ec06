package dev.trainyard.scaler.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class CloudThreadsTest {

    @Test
    void aCallThatHangsIsCutOff() throws InterruptedException {
        var cutOff = new CountDownLatch(1);
        try (var threads = new CloudThreads(Duration.ofMillis(20))) {
            threads.run("one", () -> hang(cutOff));
            assertThat(cutOff.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void callsToOneProviderThatHangKeepNoOtherWaiting() throws InterruptedException {
        var cutOff = new CountDownLatch(100);
        var answered = new CountDownLatch(1);
        try (var threads = new CloudThreads(Duration.ofHours(1))) {
            for (int i = 0; i < 100; i++) {
                threads.run("hangs", () -> hang(cutOff));
            }
            threads.run("answers", answered::countDown);
            assertThat(answered.await(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void lateAlarmOfEndedCallInterruptsNoLaterCallOnItsThread() throws InterruptedException {
        var alarms = new LateAlarms();
        var ended = new CountDownLatch(CloudThreads.THREADS);
        var begun = new CountDownLatch(CloudThreads.THREADS);
        var release = new CountDownLatch(1);
        var interrupted = new AtomicInteger();
        try (var threads = new CloudThreads(Duration.ofHours(1), alarms)) {
            for (int i = 0; i < CloudThreads.THREADS; i++) {
                threads.run("one", ended::countDown);
            }
            ended.await();
            for (int i = 0; i < CloudThreads.THREADS; i++) {
                threads.run("one", () -> {
                    begun.countDown();
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        interrupted.incrementAndGet();
                    }
                });
            }
            // Now each thread runs its second call.
            begun.await();
            alarms.begun.stream().limit(CloudThreads.THREADS).forEach(Runnable::run);
            release.countDown();
        }
        assertThat(interrupted).hasValue(0);
    }

    /** Alarms that have begun, so that cancelling them has no effect, but have not interrupted yet. */
    private static final class LateAlarms extends ScheduledThreadPoolExecutor {
        private final List<Runnable> begun = new CopyOnWriteArrayList<>();

        LateAlarms() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable alarm, long delay, TimeUnit unit) {
            begun.add(alarm);
            return super.schedule(() -> {}, delay, unit);
        }
    }

    private static void hang(CountDownLatch cutOff) {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            cutOff.countDown();
        }
    }
}
