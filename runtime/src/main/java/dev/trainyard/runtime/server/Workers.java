package dev.trainyard.runtime.server;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.UUID;
import java.util.concurrent.Callable;

/**
 * A few threads for work that may take long. Work that never ends keeps its thread; all other work goes on as long as there is another.
 * For one event loop.
 */
final class Workers implements AutoCloseable {

    /** More than {@link LargeBodies} lets in at a time: small requests find a thread while all large ones are worked on. */
    static final int THREADS = 8;

    /** Requests at a time, running ones included: a limit for the memory that waiting requests take. */
    private static final int MOST_AT_A_TIME = 1000;

    private final WorkerExecutor threads;
    private int present;

    Workers(Vertx vertx, String component) {
        this.threads = vertx.createSharedWorkerExecutor(component + "-worker-" + UUID.randomUUID(), THREADS);
    }

    boolean areBusy() {
        return present >= MOST_AT_A_TIME;
    }

    /** Runs the work when a thread is free. The future is completed on the event loop. */
    <T> Future<T> run(Callable<T> work) {
        present++;
        return threads.executeBlocking(work, false).onComplete(done -> present--);
    }

    @Override
    public void close() {
        threads.close();
    }
}
