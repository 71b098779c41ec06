package dev.trainyard.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** A text table with aligned columns. */
final class TextTable {

    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\x{80}-\\x{9f}]");

    private TextTable() {}

    /** Appends the rows. Each column is as wide as its longest cell; the last column is not padded. */
    static void append(StringBuilder text, List<List<String>> rows) {
        lines(rows).forEach(line -> text.append(line).append('\n'));
    }

    /** Returns the lines of the table. */
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

    /** Replaces control characters by spaces, so that foreign text stays on one line and cannot control a terminal. Keeps the length. */
    static String plain(String text) {
        return CONTROL.matcher(text).replaceAll(" ");
    }
}
