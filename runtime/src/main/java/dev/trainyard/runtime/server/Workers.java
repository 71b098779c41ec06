package dev.trainyard.runtime.server;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.UUID;
import java.util.concurrent.Callable;

/**
 * A pool of a few threads for work that may take long. Work that never ends blocks its thread; other work continues while a thread is free.
 * For one event loop.
 */
final class Workers implements AutoCloseable {

    /** The number of threads. It exceeds the limit of {@link LargeBodies}, so that small requests find a thread while large ones are processed. */
    static final int THREADS = 8;

    /** The most running and waiting requests. It limits the memory of the waiting ones. */
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
