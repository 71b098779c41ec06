package dev.trainyard.workshop.demo;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A record of the demo's events with their times. Thread-safe. */
final class Timeline {

    private final Clock clock;
    private final Instant start;
    private final Consumer<TimelineEvent> listener;
    private final List<TimelineEvent> happenings = new ArrayList<>();

    /** @param listener receives each event immediately; calls do not overlap */
    Timeline(Clock clock, Consumer<TimelineEvent> listener) {
        this.clock = clock;
        this.start = clock.instant();
        this.listener = listener;
    }

    synchronized void add(String who, String what, String object) {
        var happening = new TimelineEvent(now(), who, what, object);
        happenings.add(happening);
        listener.accept(happening);
    }

    /** Returns the time since the start of the demo. */
    Duration now() {
        return sinceStart(instant());
    }

    /** Returns the current time of the cluster. */
    Instant instant() {
        return clock.instant();
    }

    /** Returns the time from the start of the demo to {@code time}. */
    Duration sinceStart(Instant time) {
        return Duration.between(start, time);
    }

    /** Returns all events at or after {@code from}, in order. */
    synchronized List<TimelineEvent> since(Duration from) {
        return happenings.stream()
                .filter(happening -> happening.at().compareTo(from) >= 0)
                .toList();
    }
}
