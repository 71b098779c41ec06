package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** No test depends on time: a step finds out that the caller awaits a step from the object on which the caller's thread is parked. */
class ParallelRequestsTest {

    private final ArmException refused = new ArmException(ArmError.of(409, "Conflict", "no"));
    private final ParallelRequests steps = new ParallelRequests();
    private final Thread caller = Thread.currentThread();

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    @Test
    void awaitsTheOtherStepsBeforeItRethrowsAnUnexpectedError() {
        var begun = new CountDownLatch(1);
        var failing = new CountDownLatch(1);
        var returned = new AtomicBoolean();
        var ended = new AtomicBoolean();
        var awaited = new Object[1];

        assertThatThrownBy(() -> {
                    try {
                        steps.run(List.of("fails", "goes on"), item -> {
                            if (item.equals("fails")) {
                                await(begun);
                                awaited[0] = parkedOn();
                                failing.countDown();
                                throw new IllegalArgumentException("unexpected");
                            }
                            begun.countDown();
                            await(failing);
                            while (!returned.get()
                                    && (LockSupport.getBlocker(caller) == null
                                            || LockSupport.getBlocker(caller) == awaited[0])) {
                                Thread.onSpinWait();
                            }
                            ended.set(!returned.get());
                        });
                    } finally {
                        returned.set(true);
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("unexpected");

        assertThat(ended).isTrue();
    }

    @Test
    void keepsAnInterruptThatAFailureOfTheStepFollows() {
        assertThatThrownBy(() -> steps.run(List.of("interrupted"), item -> {
                    interruptCaller();
                    throw refused;
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasCauseInstanceOf(InterruptedException.class);

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void keepsAnInterruptThatAnUnexpectedErrorOfTheStepFollows() {
        assertThatThrownBy(() -> steps.run(List.of("interrupted"), item -> {
                    interruptCaller();
                    throw new IllegalArgumentException("unexpected");
                }))
                .hasRootCauseMessage("unexpected");

        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    @Test
    void throwsTheFailureOfAStep() {
        assertThatThrownBy(() -> steps.run(List.of("refused"), item -> {
                    throw refused;
                }))
                .isSameAs(refused);
    }

    /** Interrupts the caller, and returns once it has handled the interrupt and waits again. */
    private void interruptCaller() {
        parkedOn();
        caller.interrupt();
        while (caller.isInterrupted()) {
            Thread.onSpinWait();
        }
    }

    private Object parkedOn() {
        var blocker = LockSupport.getBlocker(caller);
        while (blocker == null) {
            Thread.onSpinWait();
            blocker = LockSupport.getBlocker(caller);
        }
        return blocker;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
