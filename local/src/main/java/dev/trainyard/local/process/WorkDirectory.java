package dev.trainyard.local.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * A directory that belongs to this JVM and goes away with it.
 *
 * <p>It is readable for this user only, removed by {@link #close()}, and, should the JVM be killed before that, removed
 * by the next one that makes a work directory of the same prefix beside it: the owner's pid and start time are recorded
 * in it.
 */
public final class WorkDirectory implements AutoCloseable {
    private static final String OWNER = "owner";
    /** Start times are computed from the boot time, which two processes may see a second apart. */
    private static final Duration START_TOLERANCE = Duration.ofSeconds(2);

    private final Path path;

    private WorkDirectory(Path path) {
        this.path = path;
    }

    /**
     * Makes a new directory {@code <parent>/<prefix>-<random>}, after removing those whose owners are gone.
     *
     * @throws UncheckedIOException when it cannot be made
     */
    public static WorkDirectory create(Path parent, String prefix) {
        try {
            Files.createDirectories(parent);
            removeAbandoned(parent, prefix);
            Path path = Files.createTempDirectory(
                            parent.toAbsolutePath(),
                            prefix + "-",
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")))
                    .normalize();
            Files.writeString(path.resolve(OWNER), Owner.current().line());
            return new WorkDirectory(path);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a work directory in " + parent + ": " + e.getMessage(), e);
        }
    }

    public Path path() {
        return path;
    }

    /** A directory in it, made when it is not there. */
    public Path directory(String name) {
        try {
            return Files.createDirectories(path.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes all but the named entry, which is kept for good: later runs will not remove it. */
    public void keepOnly(String name) {
        try {
            Files.deleteIfExists(path.resolve(OWNER));
            for (Path entry : entries(path, "*")) {
                if (!entry.endsWith(name)) {
                    FileTree.delete(entry);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes the directory with all that is in it. */
    @Override
    public void close() {
        FileTree.delete(path);
    }

    private static void removeAbandoned(Path parent, String prefix) throws IOException {
        for (Path directory : entries(parent, prefix + "-*")) {
            // One without a record is either kept for good or being made this very moment.
            if (Owner.of(directory).map(owner -> !owner.isAlive()).orElse(false)) {
                FileTree.delete(directory);
            }
        }
    }

    private static List<Path> entries(Path directory, String glob) throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, glob)) {
            return StreamSupport.stream(stream.spliterator(), false).toList();
        }
    }

    private record Owner(long pid, Instant started) {
        static Owner current() {
            ProcessHandle self = ProcessHandle.current();
            return new Owner(self.pid(), self.info().startInstant().orElse(Instant.EPOCH));
        }

        static Optional<Owner> of(Path directory) {
            try {
                String[] parts =
                        Files.readString(directory.resolve(OWNER)).strip().split(" ", -1);
                return Optional.of(new Owner(Long.parseLong(parts[0]), Instant.parse(parts[1])));
            } catch (IOException | RuntimeException e) {
                return Optional.empty();
            }
        }

        String line() {
            return pid + " " + started + "\n";
        }

        boolean isAlive() {
            return ProcessHandle.of(pid)
                    .filter(ProcessHandle::isAlive)
                    .map(process -> process.info().startInstant().orElse(started))
                    .map(start -> Duration.between(start, started).abs().compareTo(START_TOLERANCE) <= 0)
                    .orElse(false);
        }
    }
}
