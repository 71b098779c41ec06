package dev.trainyard.local.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The end of a log file. Reads at most the last 64 KiB, so the cost does not grow with the file.
 *
 * @param from byte offset of the first byte to read
 */
public record LogTail(Path file, long from) {
    private static final int MAX_BYTES = 64 * 1024;

    /** Returns the last lines, oldest first; empty if the file cannot be read. */
    public List<String> lines(int count) {
        List<String> lines = text().lines().toList();
        return lines.subList(Math.max(0, lines.size() - count), lines.size());
    }

    /** Whether the text occurs after {@code from}, within the last 64 KiB of the file. */
    public boolean contains(String text) {
        return text().contains(text);
    }

    private String text() {
        try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
            long start = Math.max(from, log.length() - MAX_BYTES);
            byte[] bytes = new byte[(int) Math.max(0, log.length() - start)];
            log.seek(start);
            log.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
