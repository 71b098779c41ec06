package dev.trainyard.local;

import dev.trainyard.local.process.FreePort;
import dev.trainyard.local.process.SupervisedProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * A process of the control plane with a listening port and a readiness check.
 *
 * <p>If another process binds the chosen port first, the start is tried again with another port.
 */
final class ControlPlaneComponent implements AutoCloseable {
    private static final int ATTEMPTS = 5;
    private static final long POLL_MILLIS = 50;

    /**
     * The launch and readiness check of a component on a port.
     *
     * @param ready whether the process is ready; polled
     */
    record Recipe(SupervisedProcess.Launch launch, BooleanSupplier ready) {}

    private final int port;
    private final Recipe recipe;
    private SupervisedProcess process;

    private ControlPlaneComponent(int port, Recipe recipe, SupervisedProcess process) {
        this.port = port;
        this.recipe = recipe;
        this.process = process;
    }

    /**
     * Starts a component on a free port and waits until it is ready.
     *
     * @throws ControlPlaneException if the process ends, or is not ready at the deadline and is therefore killed
     */
    static ControlPlaneComponent start(IntFunction<Recipe> recipes, Instant deadline) {
        for (int attempt = 1; ; attempt++) {
            int port = FreePort.onLoopback();
            Recipe recipe = recipes.apply(port);
            SupervisedProcess process = SupervisedProcess.start(recipe.launch());
            if (becomesReady(process, recipe, deadline)) {
                return new ControlPlaneComponent(port, recipe, process);
            }
            if (attempt == ATTEMPTS || !process.log().contains("address already in use")) {
                throw ended(process);
            }
        }
    }

    int port() {
        return port;
    }

    synchronized SupervisedProcess process() {
        return process;
    }

    /** Kills the process if it runs, and starts it again with the same command on the same port. */
    synchronized void restart(Duration timeout) {
        process.kill();
        process = SupervisedProcess.start(recipe.launch());
        if (!becomesReady(process, recipe, Instant.now().plus(timeout))) {
            throw ended(process);
        }
    }

    /** Kills the process without a graceful stop, because its data is not needed any more. */
    @Override
    public void close() {
        process().kill();
    }

    /** Waits until the process is ready. Returns false if the process ends before that. */
    private static boolean becomesReady(SupervisedProcess process, Recipe recipe, Instant deadline) {
        try {
            while (!recipe.ready().getAsBoolean()) {
                if (!process.isAlive()) {
                    return false;
                }
                if (Instant.now().isAfter(deadline)) {
                    throw ControlPlaneException.of(process, "runs, but was not ready in time");
                }
                Thread.sleep(POLL_MILLIS);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.kill();
            throw new ControlPlaneException("interrupted while " + process.name() + " was starting", e);
        } catch (RuntimeException e) {
            process.kill();
            throw e;
        }
    }

    private static ControlPlaneException ended(SupervisedProcess process) {
        return ControlPlaneException.of(
                process, "ended with exit code " + process.exitCode().orElse(-1) + " before it was ready");
    }
}
