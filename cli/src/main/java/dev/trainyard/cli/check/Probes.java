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

/** A runner of parallel reads with a timeout for each. Thread-safe. */
final class Probes implements AutoCloseable {

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        var thread = new Thread(task, "probe");
        thread.setDaemon(true); // a read that never ends does not block the exit
        return thread;
    });

    private final Duration timeout;

    /** @param timeout the timeout of each read */
    Probes(Duration timeout) {
        this.timeout = timeout;
    }

    /** Starts a read. The future never fails: after an error or a timeout, the result states the problem. */
    <T> CompletableFuture<ReadResult<T>> start(Supplier<T> read) {
        return CompletableFuture.supplyAsync(read, threads)
                .thenApply(ReadResult::of)
                .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(e -> ReadResult.unread(words(e)));
    }

    /** Starts a series of reads as soon as {@code known} has a value. The series has no timeout of its own; each of its reads has one. */
    <S, T> CompletableFuture<T> during(CompletableFuture<S> known, Function<S, T> ask) {
        return known.thenApplyAsync(ask, threads);
    }

    /** Starts a read as soon as {@code known} has a value. */
    <S, T> CompletableFuture<ReadResult<T>> after(CompletableFuture<S> known, Function<S, T> read) {
        return known.thenCompose(what -> start(() -> read.apply(what)));
    }

    private String words(Throwable e) {
        var cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
        if (cause instanceof TimeoutException) {
            return "no answer within %d ms".formatted(timeout.toMillis());
        }
        return cause instanceof KubernetesClientException refused
                ? ClusterErrors.problem(refused)
                : cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
