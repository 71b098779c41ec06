package dev.trainyard.local;

import dev.trainyard.local.process.FreePort;
import dev.trainyard.local.process.SupervisedProcess;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * A process of the control plane that listens on a port, and is ready when it says so.
 *
 * <p>The port is free when it is chosen, and may be taken by the time it is bound: then another one is tried.
 */
final class Component implements AutoCloseable {
    private static final int ATTEMPTS = 5;
    private static final long POLL_MILLIS = 50;

    /**
     * How to start it on a port.
     *
     * @param ready whether it does its work by now; asked again and again
     */
    record Recipe(SupervisedProcess.Launch launch, BooleanSupplier ready) {}

    private final int port;
    private final Recipe recipe;
    private SupervisedProcess process;

    private Component(int port, Recipe recipe, SupervisedProcess process) {
        this.port = port;
        this.recipe = recipe;
        this.process = process;
    }

    /**
     * Starts it on some free port and waits until it is ready.
     *
     * @throws ControlPlaneException when it ends, or is not ready at the deadline; it does not run then
     */
    static Component start(IntFunction<Recipe> recipes, Instant deadline) {
        for (int attempt = 1; ; attempt++) {
            int port = FreePort.onLoopback();
            Recipe recipe = recipes.apply(port);
            SupervisedProcess process = SupervisedProcess.start(recipe.launch());
            if (becomesReady(process, recipe, deadline)) {
                return new Component(port, recipe, process);
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

    /** Kills it if it runs, and starts it again in the same way and on the same port. */
    synchronized void restart(Duration timeout) {
        process.kill();
        process = SupervisedProcess.start(recipe.launch());
        if (!becomesReady(process, recipe, Instant.now().plus(timeout))) {
            throw ended(process);
        }
    }

    /** Kills it. What it knows is worth nothing any more. */
    @Override
    public void close() {
        process().kill();
    }

    /** Returns false when it ended before. */
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
