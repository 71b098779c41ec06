package dev.trainyard.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Rows of text under each other. */
final class TextTable {

    private TextTable() {}

    /** Columns as wide as they need be; the last one is as long as it is. */
    static void append(StringBuilder text, List<List<String>> rows) {
        var widths = new LinkedHashMap<Integer, Integer>();
        for (var row : rows) {
            for (int column = 0; column < row.size() - 1; column++) {
                widths.merge(column, row.get(column).length(), Math::max);
            }
        }
        rows.forEach(row -> text.append(line(row, widths)).append('\n'));
    }

    private static String line(List<String> row, Map<Integer, Integer> widths) {
        var line = new StringBuilder();
        for (int column = 0; column < row.size() - 1; column++) {
            int width = widths.getOrDefault(column, 0) + 2;
            line.append(row.get(column))
                    .append(" ".repeat(width - row.get(column).length()));
        }
        return line.append(row.get(row.size() - 1)).toString().stripTrailing();
    }
}
