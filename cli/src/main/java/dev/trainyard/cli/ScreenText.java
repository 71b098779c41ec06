package dev.trainyard.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Sections cut to the size of a terminal, so that the terminal does not scroll. */
final class ScreenText {

    /** Blank lines separate the sections if the screen has more than this number of rows for each section. */
    private static final int LINES_OF_A_SECTION = 4;

    private static final String CUT = "...";

    private ScreenText() {}

    /**
     * Returns as many lines as fit, each with a line end. The last row stays free for the cursor. All sections get the same number of
     * lines. If a section needs fewer lines, the other sections get the rest. A shortened section states how many lines are left out.
     *
     * @param sections the sections, the most important first; within a section, the most important line is the first
     */
    static String of(List<ReportSection> sections, int rows, int columns) {
        boolean spaced = rows > LINES_OF_A_SECTION * sections.size();
        int[] sizes = shares(sections, rows - 1 - (spaced ? sections.size() - 1 : 0));
        var text = new StringBuilder();
        for (int i = 0; i < sections.size(); i++) {
            if (spaced && i > 0) {
                text.append('\n');
            }
            cut(sections.get(i), sizes[i])
                    .forEach(line -> text.append(cut(line, columns)).append('\n'));
        }
        return text.toString();
    }

    private static int[] shares(List<ReportSection> sections, int rows) {
        int[] sizes = new int[sections.size()];
        int needed = sections.stream().mapToInt(ReportSection::size).sum();
        while (Arrays.stream(sizes).sum() < Math.min(rows, needed)) {
            for (int i = 0; i < sizes.length && Arrays.stream(sizes).sum() < rows; i++) {
                sizes[i] = Math.min(sizes[i] + 1, sections.get(i).size());
            }
        }
        return sizes;
    }

    private static List<String> cut(ReportSection section, int size) {
        var lines = new ArrayList<String>();
        lines.add(section.head());
        lines.addAll(section.lines());
        if (size >= lines.size()) {
            return lines;
        }
        if (size == 0) {
            return List.of();
        }
        int shown = Math.max(0, size - 2);
        var kept = new ArrayList<>(size == 1 ? List.of() : lines.subList(0, 1 + shown));
        kept.add(
                "%s %d %s%s".formatted(CUT, section.lines().size() - shown, shown == 0 ? "" : "more ", section.what()));
        return kept;
    }

    private static String cut(String line, int columns) {
        return line.length() <= columns || columns < CUT.length()
                ? line
                : line.substring(0, columns - CUT.length()) + CUT;
    }
}
