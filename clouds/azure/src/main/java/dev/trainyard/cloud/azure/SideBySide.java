package dev.trainyard.cloud.azure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Requests about many machines, some at a time: forty machines, one after another, would take minutes. Thread-safe. */
final class SideBySide {

    private static final int THREADS = 12;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
        var thread = new Thread(task, "azure-machines");
        thread.setDaemon(true);
        return thread;
    });

    /** What is done with one of them. */
    @FunctionalInterface
    interface Step<T> {
        void take(T item) throws ArmException;
    }

    /**
     * Takes the step for each; begins no more of them after one failed, or when the caller is interrupted.
     *
     * @throws ArmException the first failure, when all that were begun have ended
     * @throws IllegalStateException when all that were begun have ended: for an unexpected error of a step, or because the caller was
     *     interrupted, which it still is then
     */
    <T> void run(Collection<T> items, Step<T> step) throws ArmException {
        run(items, step, error -> true);
    }

    /**
     * Takes the step for each, also after some failed; begins no more of them after a failure that all would meet with, or when the caller is
     * interrupted.
     *
     * @param endsAll which errors are such failures
     * @throws ArmException the first failure, when all that were begun have ended
     * @throws IllegalStateException as the other
     */
    <T> void run(Collection<T> items, Step<T> step, Predicate<ArmError> endsAll) throws ArmException {
        var over = new AtomicBoolean();
        var steps = new ArrayList<Future<?>>();
        for (var item : items) {
            steps.add(threads.submit(() -> {
                if (!over.get()) {
                    take(item, step, endsAll, over);
                }
                return null;
            }));
        }
        await(steps, over);
    }

    private static <T> void take(T item, Step<T> step, Predicate<ArmError> endsAll, AtomicBoolean over)
            throws ArmException {
        try {
            step.take(item);
        } catch (ArmException e) {
            if (endsAll.test(e.error())) {
                over.set(true);
            }
            throw e;
        } catch (RuntimeException | Error e) {
            over.set(true);
            throw e;
        }
    }

    /** Awaits every step, also after a failure, so that the next read sees the result of each step that was begun. */
    private static void await(Collection<Future<?>> steps, AtomicBoolean over) throws ArmException {
        var ends = new Ends();
        steps.forEach(step -> ends.await(step, over));
        ends.report();
    }

    /** How steps ended; the first of each kind of failure counts. */
    private static final class Ends {
        private @Nullable ArmException refused;
        private @Nullable Throwable unexpected;
        private @Nullable InterruptedException interrupted;

        void await(Future<?> step, AtomicBoolean over) {
            while (true) {
                try {
                    step.get();
                    return;
                } catch (InterruptedException e) {
                    over.set(true);
                    interrupted = e;
                } catch (ExecutionException e) {
                    failed(e.getCause());
                    return;
                }
            }
        }

        private void failed(@Nullable Throwable cause) {
            if (!(cause instanceof ArmException known)) {
                unexpected = unexpected == null ? cause : unexpected;
            } else if (refused == null) {
                refused = known;
            }
        }

        void report() throws ArmException {
            if (interrupted != null) {
                Thread.currentThread().interrupt();
            }
            if (unexpected != null) {
                throw new IllegalStateException(unexpected);
            }
            if (interrupted != null) {
                throw new IllegalStateException(interrupted);
            }
            if (refused != null) {
                throw refused;
            }
        }
    }
}
