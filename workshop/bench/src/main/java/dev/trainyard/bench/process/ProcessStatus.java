package dev.trainyard.bench.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the kernel knows about a process, from {@code /proc}.
 *
 * @param residentBytes resident set size
 * @param descriptors number of open file descriptors
 */
public record ProcessStatus(long residentBytes, int threads, int descriptors) {

    private static final Pattern RESIDENT = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB$");
    private static final Pattern THREADS = Pattern.compile("(?m)^Threads:\\s+(\\d+)$");
    private static final long KIBI = 1024;

    /** Returns the status of a process; null if the system has no {@code /proc}, or the process has ended. */
    public static @Nullable ProcessStatus of(long pid) {
        var directory = Path.of("/proc", Long.toString(pid));
        var status = directory.resolve("status");
        if (!Files.isReadable(status)) {
            return null;
        }
        try (var descriptors = Files.list(directory.resolve("fd"))) {
            var text = Files.readString(status);
            var resident = RESIDENT.matcher(text);
            var threads = THREADS.matcher(text);
            return resident.find() && threads.find()
                    ? new ProcessStatus(
                            Long.parseLong(resident.group(1)) * KIBI, Integer.parseInt(threads.group(1)), (int)
                                    descriptors.count())
                    : null;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + directory, e);
        }
    }
}
