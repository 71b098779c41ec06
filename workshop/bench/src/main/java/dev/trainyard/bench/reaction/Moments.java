package dev.trainyard.bench.reaction;

import dev.trainyard.bench.process.BenchException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The times at which named events were first seen, in {@link System#nanoTime}. Thread-safe. */
final class Moments {

    private final Map<String, Long> seen = new HashMap<>(); // guarded by this

    synchronized void note(String what) {
        if (seen.putIfAbsent(what, System.nanoTime()) == null) {
            notifyAll();
        }
    }

    /** @throws BenchException if the event is not seen within the timeout */
    synchronized long await(String what, Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        try {
            while (true) {
                var moment = seen.get(what);
                if (moment != null) {
                    return moment;
                }
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    throw new BenchException("timeout: waited %d s for %s".formatted(timeout.toSeconds(), what));
                }
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }
}
