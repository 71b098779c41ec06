package dev.trainyard.workshop.demo;

import dev.trainyard.runtime.kubernetes.EventRecorder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The table of {@code kubectl events} for one object. An Event that is reported again is one row, with the time of the last report. */
final class EventTable {

    private record Row(String type, String reason, String message) {}

    private final String object;
    private final Map<Row, Instant> lastSeen = new LinkedHashMap<>();

    EventTable(HasMetadata about) {
        this.object = "%s/%s".formatted(about.getKind(), about.getMetadata().getName());
    }

    void add(EventRecorder.Type type, String reason, String message, Instant now) {
        var row = new Row(type == EventRecorder.Type.WARNING ? "Warning" : "Normal", reason, message);
        lastSeen.remove(row);
        lastSeen.put(row, now);
    }

    /** Returns the table at a time. */
    String asOf(Instant now) {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of("LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"));
        lastSeen.forEach((row, seen) -> rows.add(List.of(
                Duration.between(seen, now).toSeconds() + "s", row.type(), row.reason(), object, row.message())));
        return KubectlTable.of(rows);
    }
}
