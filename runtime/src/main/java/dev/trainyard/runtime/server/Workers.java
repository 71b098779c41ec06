package dev.trainyard.runtime.server;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.UUID;
import java.util.concurrent.Callable;

/**
 * A pool of a few threads for work that may take long. Work that never ends blocks its thread; other work runs on the other threads. Used
 * by one event loop.
 */
final class Workers implements AutoCloseable {

    /**
     * The number of threads. The number is greater than the limit of {@link LargeBodies}, so that large requests that wait for an answer do
     * not occupy all threads.
     */
    static final int THREADS = 8;

    /** The most requests that run or wait at a time. The limit bounds the memory of the waiting requests. */
    private static final int MOST_AT_A_TIME = 1000;

    private final WorkerExecutor threads;
    private int present;

    Workers(Vertx vertx, String component) {
        this.threads = vertx.createSharedWorkerExecutor(component + "-worker-" + UUID.randomUUID(), THREADS);
    }

    boolean areBusy() {
        return present >= MOST_AT_A_TIME;
    }

    /** Runs the work as soon as a thread is free. The future completes on the event loop. */
    <T> Future<T> run(Callable<T> work) {
        present++;
        return threads.executeBlocking(work, false).onComplete(done -> present--);
    }

    @Override
    public void close() {
        threads.close();
    }
}
