package dev.trainyard.cli;

import java.util.List;

/**
 * A part of a text for people.
 *
 * @param what its lines are of, such as {@code pools}; empty when there are none
 * @param head stands above them in any case
 */
record Section(String what, String head, List<String> lines) {

    Section {
        lines = List.copyOf(lines);
    }

    /** A single line. */
    static Section of(String line) {
        return new Section("", line, List.of());
    }

    /** Of columns as wide as they need be. */
    static Section table(String what, List<List<String>> rows) {
        var lines = TextTable.lines(rows);
        return new Section(what, lines.get(0), lines.subList(1, lines.size()));
    }

    int size() {
        return 1 + lines.size();
    }
}
