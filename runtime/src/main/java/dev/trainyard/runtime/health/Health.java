package dev.trainyard.runtime.health;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The named checks behind {@code /healthz} and {@code /readyz}. A check that throws counts as failed, with the exception's message.
 * Thread-safe.
 */
public final class Health {
    /** A check that runs on an event loop for each probe, so it must only read memory. */
    @FunctionalInterface
    public interface Check {
        /** Returns why the check fails, as one line for an operator; empty if it passes. */
        Optional<String> problem();
    }

    /** The answer to one probe: {@code text} is {@code ok}, or one line {@code name: reason} for every failed check. */
    public record Report(boolean healthy, String text) {}

    private record Named(String name, Check check) {
        Optional<String> line() {
            try {
                return check.problem().map(reason -> name + ": " + reason);
            } catch (RuntimeException e) {
                return Optional.of(name + ": the check itself failed: " + e);
            }
        }
    }

    private final List<Named> liveness = new CopyOnWriteArrayList<>();
    private final List<Named> readiness = new CopyOnWriteArrayList<>();
    private volatile boolean draining;

    /**
     * Adds a liveness check. If the check fails, Kubernetes restarts the process, so the check must only detect problems that a restart
     * solves.
     */
    public Health liveness(String name, Check check) {
        liveness.add(new Named(name, check));
        return this;
    }

    /** Adds a readiness check. While the check fails, the process gets no requests through its Service. */
    public Health readiness(String name, Check check) {
        readiness.add(new Named(name, check));
        return this;
    }

    /**
     * Makes the process permanently not ready. The process must keep serving for some seconds, until all callers have noticed the change.
     */
    public void drain() {
        draining = true;
    }

    public Report alive() {
        return report(liveness, List.of());
    }

    public Report ready() {
        return report(readiness, draining ? List.of("shutdown: this process is about to end") : List.of());
    }

    private static Report report(List<Named> checks, List<String> first) {
        List<String> problems = new ArrayList<>(first);
        checks.forEach(check -> check.line().ifPresent(problems::add));
        return problems.isEmpty() ? new Report(true, "ok\n") : new Report(false, String.join("\n", problems) + "\n");
    }
}
