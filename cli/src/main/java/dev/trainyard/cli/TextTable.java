package dev.trainyard.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Rows of text under each other. */
final class TextTable {

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\x{80}-\\x{9f}]");

    private TextTable() {}

    /** Columns as wide as they need be; the last one is as long as it is. */
    static void append(StringBuilder text, List<List<String>> rows) {
        lines(rows).forEach(line -> text.append(line).append('\n'));
    }

    /** The same, line by line. */
    static List<String> lines(List<List<String>> rows) {
        var widths = new LinkedHashMap<Integer, Integer>();
        for (var row : rows) {
            for (int column = 0; column < row.size() - 1; column++) {
                widths.merge(column, row.get(column).length(), Math::max);
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private static String line(List<String> row, Map<Integer, Integer> widths) {
        var line = new StringBuilder();
        for (int column = 0; column < row.size() - 1; column++) {
            int width = widths.getOrDefault(column, 0) + 2;
            line.append(plain(row.get(column)))
                    .append(" ".repeat(width - row.get(column).length()));
        }
        return line.append(plain(row.get(row.size() - 1))).toString().stripTrailing();
    }

    /** What others write, such as clouds, is in one line, and commands nothing to a terminal. As long as before. */
    static String plain(String text) {
        return CONTROL.matcher(text).replaceAll(" ");
    }
}
