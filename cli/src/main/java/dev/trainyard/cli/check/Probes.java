package dev.trainyard.cli.check;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

/** Looks at several things at a time, and waits for none of them longer than for a while. Thread-safe. */
final class Probes implements AutoCloseable {

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        var thread = new Thread(task, "probe");
        thread.setDaemon(true); // one that never ends keeps nobody from exiting
        return thread;
    });

    private final Duration timeout;

    /** @param timeout of each */
    Probes(Duration timeout) {
        this.timeout = timeout;
    }

    Duration timeout() {
        return timeout;
    }

    /** Begins to look; what comes out never fails. */
    <T> CompletableFuture<Part<T>> start(Supplier<T> read) {
        return CompletableFuture.supplyAsync(read, threads)
                .thenApply(Part::of)
                .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(e -> Part.unread(words(e)));
    }

    /** Begins with what asks many times, and bounds each by itself. */
    <S, T> CompletableFuture<T> during(CompletableFuture<S> known, Function<S, T> ask) {
        return known.thenApplyAsync(ask, threads);
    }

    /** Begins to look when something else is known. */
    <S, T> CompletableFuture<Part<T>> after(CompletableFuture<S> known, Function<S, T> read) {
        return known.thenCompose(what -> start(() -> read.apply(what)));
    }

    private String words(Throwable e) {
        var cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
        if (cause instanceof TimeoutException) {
            return "no answer within %d ms".formatted(timeout.toMillis());
        }
        return cause instanceof KubernetesClientException refused
                ? Answers.problem(refused)
                : cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
