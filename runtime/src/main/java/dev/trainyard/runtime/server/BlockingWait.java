package dev.trainyard.runtime.server;

import io.vertx.core.Future;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A blocking wait for Vert.x futures, on a thread that is not an event loop. */
public final class BlockingWait {
    private BlockingWait() {}

    /**
     * Returns the result of a future.
     *
     * @param what the start of the failure message for the user, such as {@code cannot stop the server}
     * @throws ServerException if the future fails or takes longer than {@code seconds}
     */
    public static <T> T upTo(long seconds, Future<T> future, String what) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new ServerException(what + ": " + cause.getMessage(), cause);
        } catch (TimeoutException e) {
            throw new ServerException(what + ": it took more than " + seconds + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServerException(what + ": interrupted", e);
        }
    }
}
