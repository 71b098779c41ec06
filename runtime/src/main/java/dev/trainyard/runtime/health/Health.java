package dev.trainyard.runtime.health;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Named checks behind {@code /healthz} and {@code /readyz}. Thread-safe. A check that throws counts as failed with the
 * exception's message.
 */
public final class Health {
    /** Runs on an event loop whenever a probe asks: must only look at memory. */
    @FunctionalInterface
    public interface Check {
        /** Why it fails, as one line for an operator; empty when all is well. */
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

    /** While it fails Kubernetes restarts the process: only for what a restart would repair. */
    public Health liveness(String name, Check check) {
        liveness.add(new Named(name, check));
        return this;
    }

    /** While it fails the process gets no requests through its Service. */
    public Health readiness(String name, Check check) {
        readiness.add(new Named(name, check));
        return this;
    }

    /** From now on not ready, for good. Keep serving for some seconds: callers learn of it late. */
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
