package dev.trainyard.scaler.calls;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A set of bounded thread pools, one for each API, so that a hanging API does not block calls to other APIs. Thread-safe. */
public final class CloudThreads implements Threads, AutoCloseable {

    /** The limit of concurrent calls to one API. */
    static final int THREADS = 16;

    private static final Logger log = LoggerFactory.getLogger(CloudThreads.class);

    private final Duration deadline;
    private final Map<String, ExecutorService> byApi = new ConcurrentHashMap<>();
    private final ScheduledThreadPoolExecutor alarms;

    /** @param deadline the time after which a call is interrupted */
    public CloudThreads(Duration deadline) {
        this(deadline, new ScheduledThreadPoolExecutor(1, daemons("cloud-deadlines")));
    }

    /** @param alarms the executor that interrupts calls at their deadlines; shut down by {@link #close()} */
    CloudThreads(Duration deadline, ScheduledThreadPoolExecutor alarms) {
        this.deadline = deadline;
        this.alarms = alarms;
        alarms.setRemoveOnCancelPolicy(true);
    }

    @Override
    public void run(String api, Runnable call) {
        try {
            byApi.computeIfAbsent(api, CloudThreads::threads).execute(() -> guarded(call));
        } catch (RejectedExecutionException e) {
            log.debug("a call to {} was dropped, since the scaler is stopping", api);
        }
    }

    private void guarded(Runnable call) {
        var caller = Thread.currentThread();
        var running = new AtomicBoolean(true);
        var ending = new ReentrantLock();
        var alarm = alarms.schedule(
                () -> {
                    ending.lock();
                    try {
                        if (running.get()) {
                            caller.interrupt();
                        }
                    } finally {
                        ending.unlock();
                    }
                },
                deadline.toMillis(),
                TimeUnit.MILLISECONDS);
        try {
            call.run();
        } finally {
            ending.lock();
            try {
                running.set(false);
                // Clears an interruption that came too late. Otherwise it would hit the next call on this thread.
                Thread.interrupted();
            } finally {
                ending.unlock();
            }
            alarm.cancel(false);
        }
    }

    /** Waits briefly for running calls to end, then interrupts the remaining calls. */
    @Override
    public void close() {
        byApi.values().forEach(ExecutorService::shutdown);
        try {
            for (var threads : byApi.values()) {
                if (!threads.awaitTermination(1, TimeUnit.SECONDS)) {
                    threads.shutdownNow();
                    threads.awaitTermination(1, TimeUnit.SECONDS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            // The alarms are shut down last, since a queued call that still begins schedules an alarm.
            alarms.shutdownNow();
        }
    }

    private static ExecutorService threads(String api) {
        var threads = new ThreadPoolExecutor(
                THREADS, THREADS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons("cloud-" + api));
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    private static ThreadFactory daemons(String name) {
        return task -> {
            var thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
