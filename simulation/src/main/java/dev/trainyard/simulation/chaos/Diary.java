package dev.trainyard.simulation.chaos;

import dev.trainyard.core.Durations;
import dev.trainyard.simulation.time.VirtualTime;
import java.util.ArrayDeque;
import java.util.List;

/** The last things that happened, for whoever wants to know why something broke. */
final class Diary {

    private static final int LINES = 60;

    private final VirtualTime time;
    private final ArrayDeque<String> lines = new ArrayDeque<>();

    Diary(VirtualTime time) {
        this.time = time;
    }

    void note(String what) {
        if (lines.size() == LINES) {
            lines.removeFirst();
        }
        lines.add(Durations.format(time.elapsed()) + " " + what);
    }

    List<String> lines() {
        return List.copyOf(lines);
    }
}
