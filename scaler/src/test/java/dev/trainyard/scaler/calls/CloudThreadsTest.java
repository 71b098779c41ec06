package dev.trainyard.scaler.calls;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
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
    void theNextCallOnAThreadIsNotInterruptedForTheOneBefore() throws InterruptedException {
        var cutOff = new CountDownLatch(200);
        var disturbed = new CountDownLatch(1);
        var calm = new CountDownLatch(200);
        try (var threads = new CloudThreads(Duration.ofMillis(5))) {
            for (int i = 0; i < 200; i++) {
                threads.run("one", () -> hang(cutOff));
                threads.run("one", () -> {
                    if (Thread.interrupted()) {
                        disturbed.countDown();
                    }
                    calm.countDown();
                });
            }
            assertThat(calm.await(20, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(disturbed.getCount()).isEqualTo(1);
    }

    private static void hang(CountDownLatch cutOff) {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            cutOff.countDown();
        }
    }
}
