package dev.trainyard.emulator.azure;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A queue of scheduled actions. Not thread-safe. */
final class Agenda {

    private final List<Due> all = new ArrayList<>();

    private record Due(Instant at, Runnable what) {}

    void at(Instant time, Runnable what) {
        all.add(new Due(time, what));
    }

    /** Runs the actions that are due by {@code now}, the earliest first. */
    void advance(Instant now) {
        var due = all.stream()
                .filter(one -> !one.at().isAfter(now))
                .sorted(Comparator.comparing(Due::at))
                .toList();
        all.removeAll(due);
        due.forEach(one -> one.what().run());
    }
}
