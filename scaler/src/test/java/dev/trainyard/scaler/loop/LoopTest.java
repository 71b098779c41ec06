package dev.trainyard.scaler.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.scaler.MovedClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LoopTest {

    private static final Duration NEVER = Duration.ofHours(1);

    @Test
    void looksOnceAtABurstOfEvents() throws InterruptedException {
        var rounds = new AtomicInteger();
        var first = new CountDownLatch(1);
        var second = new CountDownLatch(2);
        try (var loop = new Loop(
                () -> {
                    rounds.incrementAndGet();
                    first.countDown();
                    second.countDown();
                    return Optional.empty();
                },
                () -> false,
                NEVER,
                Duration.ofMillis(300),
                Clock.systemUTC())) {
            loop.start();
            first.await();
            for (int i = 0; i < 40; i++) {
                loop.wakeForDemand();
            }
            second.await();
            assertThat(rounds).hasValue(2);
        }
    }

    @Test
    void goesOnAfterARoundThatFailed() throws InterruptedException {
        var ran = new Semaphore(0);
        try (var loop = new Loop(
                () -> {
                    ran.release();
                    throw new IllegalStateException("on purpose");
                },
                () -> false,
                Duration.ofMillis(1),
                Duration.ZERO,
                Clock.systemUTC())) {
            loop.start();
            assertThat(ran.tryAcquire(2, 20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void pausesLongerAfterEachFailureButNeverForLong() {
        assertThat(RoundSchedule.pause(1, 1)).isEqualTo(RoundSchedule.FIRST_PAUSE);
        assertThat(RoundSchedule.pause(1, 0)).isEqualTo(RoundSchedule.FIRST_PAUSE.dividedBy(2));
        assertThat(RoundSchedule.pause(3, 1)).isEqualTo(RoundSchedule.FIRST_PAUSE.multipliedBy(4));
        assertThat(RoundSchedule.pause(1_000_000, 1)).isEqualTo(RoundSchedule.LONGEST_PAUSE);
    }

    @Test
    void eventsDoNotHurryItAfterAFailure() throws InterruptedException {
        var ran = new Semaphore(0);
        try (var loop = new Loop(
                () -> {
                    ran.release();
                    throw new IllegalStateException("on purpose");
                },
                () -> false,
                NEVER,
                Duration.ZERO,
                Clock.systemUTC(),
                System::nanoTime,
                () -> 1)) {
            loop.start();
            ran.acquire();
            for (int i = 0; i < 1000; i++) {
                loop.wake();
            }
            assertThat(ran.tryAcquire(300, TimeUnit.MILLISECONDS)).isFalse();
        }
    }

    @Test
    void goesOnWhenSomebodySetsTheWallClockBack() throws InterruptedException {
        var clock = new MovedClock();
        var ran = new Semaphore(0);
        try (var loop = new Loop(
                () -> {
                    ran.release();
                    var next = Optional.of(clock.instant().plusMillis(20));
                    clock.move(Duration.ofDays(-1));
                    return next;
                },
                () -> false,
                Duration.ofMillis(50),
                Duration.ZERO,
                clock)) {
            loop.start();
            assertThat(ran.tryAcquire(3, 20, TimeUnit.SECONDS)).isTrue();
            assertThat(loop.stalled()).isEmpty();
        }
    }

    @Test
    void isStalledWhenNoRoundEndsWell() {
        var nanos = new AtomicLong();
        try (var loop = new Loop(
                () -> {
                    throw new IllegalStateException("on purpose");
                },
                () -> false,
                NEVER,
                Duration.ZERO,
                Clock.systemUTC(),
                nanos::get,
                () -> 1)) {
            nanos.set(Duration.ofHours(2).toNanos());
            assertThat(loop.stalled()).as("before it leads").isEmpty();
            loop.start();
            nanos.addAndGet(NEVER.plusMinutes(4).toNanos());
            assertThat(loop.stalled()).isEmpty();
            nanos.addAndGet(Duration.ofMinutes(2).toNanos());
            assertThat(loop.stalled().orElseThrow()).contains("no round has succeeded");
        }
    }

    @Test
    void isBackWhenARoundSaidThatTimeWillChangeSomething() throws InterruptedException {
        var ran = new Semaphore(0);
        try (var loop = new Loop(
                () -> {
                    ran.release();
                    return Optional.of(Instant.now().plusMillis(5));
                },
                () -> false,
                NEVER,
                Duration.ZERO,
                Clock.systemUTC())) {
            loop.start();
            assertThat(ran.tryAcquire(3, 20, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void waitsForPodsThatTheSchedulerHasNotLookedAtYetButNotForEver() throws InterruptedException {
        var asked = new AtomicInteger();
        var ran = new Semaphore(0);
        try (var loop = new Loop(
                () -> {
                    ran.release();
                    return Optional.empty();
                },
                () -> asked.incrementAndGet() > 0,
                NEVER,
                Duration.ofMillis(20),
                Clock.systemUTC())) {
            loop.start();
            ran.acquire();
            loop.wakeForDemand();
            assertThat(ran.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
            assertThat(asked).hasValueGreaterThan(1);
        }
    }
}
