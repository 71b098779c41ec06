package dev.trainyard.workshop.demo;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The layout of kubectl's tables: columns as wide as their widest value, with a gap of three spaces. */
final class KubectlTable {

    private static final int GAP = 3;

    private KubectlTable() {}

    /** @param rows the rows, the heading first; all have the same number of values */
    static String of(List<List<String>> rows) {
        var widths = IntStream.range(0, rows.get(0).size())
                .map(column -> rows.stream()
                                .mapToInt(row -> row.get(column).length())
                                .max()
                                .orElse(0)
                        + GAP)
                .toArray();
        return rows.stream()
                .map(row -> IntStream.range(0, row.size())
                        .mapToObj(column -> row.get(column)
                                + " ".repeat(widths[column] - row.get(column).length()))
                        .collect(Collectors.joining())
                        .stripTrailing())
                .collect(Collectors.joining("\n"));
    }
}
