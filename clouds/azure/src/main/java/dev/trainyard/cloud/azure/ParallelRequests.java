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

/** A runner of requests about many machines, several at a time: forty machines one after another would take minutes. Thread-safe. */
final class ParallelRequests {

    private static final int THREADS = 12;

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
        var thread = new Thread(task, "azure-machines");
        thread.setDaemon(true);
        return thread;
    });

    /** A step that is run for each item. */
    @FunctionalInterface
    interface Step<T> {
        void take(T item) throws ArmException;
    }

    /**
     * Runs the step for each item. Starts no more steps after one has failed, or if the caller is interrupted. Returns or throws only after all
     * started steps have ended.
     *
     * @throws ArmException the first failure
     * @throws IllegalStateException for an unexpected error of a step, or if the caller was interrupted; the interrupt flag stays set
     */
    <T> void run(Collection<T> items, Step<T> step) throws ArmException {
        run(items, step, error -> true);
    }

    /**
     * Runs the step for each item, even after some have failed. Starts no more steps after a failure that concerns all items, or if the caller is
     * interrupted. Returns or throws only after all started steps have ended.
     *
     * @param endsAll whether an error concerns all items
     * @throws ArmException the first failure
     * @throws IllegalStateException as in {@link #run(Collection, Step)}
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

    /** Awaits every step, even after a failure, so that the next reading sees the result of each started step. */
    private static void await(Collection<Future<?>> steps, AtomicBoolean over) throws ArmException {
        var ends = new Ends();
        steps.forEach(step -> ends.await(step, over));
        ends.report();
    }

    /** The results of steps. The first refused request and the first unexpected error are kept. */
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
