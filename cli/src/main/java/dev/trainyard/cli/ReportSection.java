package dev.trainyard.cli;

import java.util.List;

/**
 * A section of a text report.
 *
 * @param what the objects that the lines list, such as {@code pools}; empty if there are no lines
 * @param head the line above {@code lines}
 */
record ReportSection(String what, String head, List<String> lines) {

    ReportSection {
        lines = List.copyOf(lines);
    }

    /** Returns a section of a single line. */
    static ReportSection of(String line) {
        return new ReportSection("", line, List.of());
    }

    /** Returns a section with aligned columns. The first row is the head. */
    static ReportSection table(String what, List<List<String>> rows) {
        var lines = TextTable.lines(rows);
        return new ReportSection(what, lines.get(0), lines.subList(1, lines.size()));
    }

    int size() {
        return 1 + lines.size();
    }
}
