package dev.trainyard.simulation.fault;

import dev.trainyard.core.Durations;
import dev.trainyard.simulation.time.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.zip.CRC32;

/**
 * A log of the actions in a cluster. The log keeps a checksum of all lines, and the text of only the latest lines, in which readers can look
 * for the cause of a failure.
 */
public final class ActivityLog {

    private static final int LINES = 60;

    private final VirtualTime time;
    private final ArrayDeque<String> lines = new ArrayDeque<>();
    private final CRC32 sum = new CRC32();

    public ActivityLog(VirtualTime time) {
        this.time = time;
    }

    public void note(String what) {
        var line = Durations.format(time.elapsed()) + " " + what;
        sum.update(line.getBytes(StandardCharsets.UTF_8));
        if (lines.size() == LINES) {
            lines.removeFirst();
        }
        lines.add(line);
    }

    /** Returns the checksum of all lines. Two runs with the same checksum made the same actions. */
    public long sum() {
        return sum.getValue();
    }

    public List<String> lines() {
        return List.copyOf(lines);
    }
}
