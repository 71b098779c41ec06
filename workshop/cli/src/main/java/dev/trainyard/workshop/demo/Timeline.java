package dev.trainyard.workshop.demo;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Who did what, when. Thread-safe. */
final class Timeline {

    private final Clock clock;
    private final Instant start;
    private final Consumer<Happening> listener;
    private final List<Happening> happenings = new ArrayList<>();

    /** @param listener told of each happening as it happens, one at a time */
    Timeline(Clock clock, Consumer<Happening> listener) {
        this.clock = clock;
        this.start = clock.instant();
        this.listener = listener;
    }

    synchronized void add(String who, String what, String object) {
        var happening = new Happening(now(), who, what, object);
        happenings.add(happening);
        listener.accept(happening);
    }

    /** Since the demo began. */
    Duration now() {
        return Duration.between(start, clock.instant());
    }

    /** All that happened at or after {@code from}, in order. */
    synchronized List<Happening> since(Duration from) {
        return happenings.stream()
                .filter(happening -> happening.at().compareTo(from) >= 0)
                .toList();
    }
}
