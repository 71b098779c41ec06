package dev.trainyard.bench.reaction;

import dev.trainyard.bench.process.BenchException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** When things were seen first, by name, in {@link System#nanoTime}. Thread-safe. */
final class Moments {

    private final Map<String, Long> seen = new HashMap<>(); // guarded by this

    synchronized void note(String what) {
        if (seen.putIfAbsent(what, System.nanoTime()) == null) {
            notifyAll();
        }
    }

    /** @throws BenchException when it is not seen for so long */
    synchronized long await(String what, Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        try {
            while (true) {
                var moment = seen.get(what);
                if (moment != null) {
                    return moment;
                }
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    throw new BenchException("waited %d s for %s".formatted(patience.toSeconds(), what));
                }
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }
}
