package dev.trainyard.simulation.workload;

import dev.trainyard.runtime.configuration.ResourceFileException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * A file of comma-separated values with a header. Columns are found by name, in any order; other columns are ignored. A file with quotation
 * marks is refused, because this reader would misread quoted values.
 */
public final class TraceTable {

    /** A line with values. */
    public final class Row {
        private final int line;
        private final String[] values;

        private Row(int line, String[] values) {
            this.line = line;
            this.values = values;
        }

        /** Returns a value, and refuses an empty value. */
        public String text(String column) {
            var value = optional(column);
            if (value.isEmpty()) {
                throw wrong(column, value, "expected a value");
            }
            return value;
        }

        /** Returns a value; empty if the value or the column is missing. */
        public String optional(String column) {
            int place = header.indexOf(column);
            return place < 0 ? "" : values[place].strip();
        }

        /** Returns a whole number from {@code least} to {@code most}. */
        public long number(String column, long least, long most) {
            var value = text(column);
            try {
                long number = Long.parseLong(value);
                if (number >= least && number <= most) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // The error is reported below.
            }
            throw wrong(column, value, "expected a whole number from %d to %d".formatted(least, most));
        }

        /** Returns the exception for an invalid value. */
        public ResourceFileException wrong(String column, String value, String expected) {
            return new ResourceFileException(
                    "%s, line %d: %s is '%s'; %s".formatted(file, line, column, value, expected));
        }
    }

    private final Path file;
    private List<String> header = List.of();

    private TraceTable(Path file) {
        this.file = file;
    }

    /**
     * Passes the rows to {@code reader} one by one, and keeps none, because a trace may have millions of rows.
     *
     * @throws ResourceFileException if the file cannot be read, or a required column is missing
     */
    public static void each(Path file, Consumer<Row> reader, String... required) {
        try (var lines = Files.newBufferedReader(file)) {
            new TraceTable(file).read(lines, reader, required);
        } catch (CharacterCodingException e) {
            throw new ResourceFileException(file + ": is not UTF-8 text; expected a CSV file", e);
        } catch (IOException e) {
            var expected = e instanceof AccessDeniedException ? "" : "; expected a CSV file";
            throw new ResourceFileException("%s: %s%s".formatted(file, ResourceFileException.why(e), expected), e);
        }
    }

    private void read(BufferedReader lines, Consumer<Row> reader, String... required) throws IOException {
        var first = lines.readLine();
        if (first == null) {
            throw new ResourceFileException(
                    "%s: is empty; expected a header with %s".formatted(file, String.join(", ", required)));
        }
        // Some editors write a byte order mark before the text.
        header = List.of(split(first.startsWith("\uFEFF") ? first.substring(1) : first, 1));
        for (var column : required) {
            if (!header.contains(column)) {
                throw new ResourceFileException("%s, line 1: column %s is missing from '%s'; expected at least %s"
                        .formatted(file, column, String.join(",", header), String.join(",", required)));
            }
            if (header.indexOf(column) != header.lastIndexOf(column)) {
                throw new ResourceFileException("%s, line 1: column %s stands in '%s' more than once; expected it once"
                        .formatted(file, column, String.join(",", header)));
            }
        }
        int line = 1;
        for (var text = lines.readLine(); text != null; text = lines.readLine()) {
            line++;
            if (!text.isBlank()) {
                reader.accept(row(line, text));
            }
        }
    }

    private Row row(int line, String text) {
        var values = split(text, line);
        if (values.length != header.size()) {
            throw new ResourceFileException("%s, line %d: has %d values; expected %d, one for each column of the header"
                    .formatted(file, line, values.length, header.size()));
        }
        return new Row(line, values);
    }

    private String[] split(String text, int line) {
        if (text.indexOf('"') >= 0) {
            throw new ResourceFileException(
                    "%s, line %d: has a quotation mark; expected plain values between commas".formatted(file, line));
        }
        var values = text.split(",", -1);
        for (int i = 0; i < values.length; i++) {
            values[i] = values[i].strip();
        }
        return values;
    }
}
