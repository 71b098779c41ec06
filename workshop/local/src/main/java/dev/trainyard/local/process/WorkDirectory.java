package dev.trainyard.local.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory that belongs to this JVM and goes away with it.
 *
 * <p>It is readable for this user only, removed by {@link #close()}, and, should the JVM be killed before that, removed
 * by the next one that makes a work directory of the same prefix beside it. A lock on a file in it, which the system
 * releases when the JVM dies, tells whether it is in use.
 */
public final class WorkDirectory implements AutoCloseable {
    private static final String OWNER = "owner";
    private static final String LOCK = "lock";

    private static final Logger log = LoggerFactory.getLogger(WorkDirectory.class);
    private static final Set<PosixFilePermission> OURS_ONLY = PosixFilePermissions.fromString("rwx------");

    private final Path path;
    private final FileChannel lock;

    private WorkDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Makes a new directory {@code <parent>/<prefix>-<random>}, after removing those whose owners are gone.
     *
     * @throws UncheckedIOException when it cannot be made
     */
    public static WorkDirectory create(Path parent, String prefix) {
        try {
            Files.createDirectories(parent);
            Path path = Files.createTempDirectory(
                            parent.toAbsolutePath(), prefix + "-", PosixFilePermissions.asFileAttribute(OURS_ONLY))
                    .normalize();
            FileChannel lock = openLock(path);
            lock.lock();
            // Last, as a directory without it is not looked at.
            Files.writeString(path.resolve(OWNER), ProcessHandle.current().pid() + "\n");
            removeAbandoned(parent, prefix, Files.getOwner(path));
            return new WorkDirectory(path, lock);
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
            lock.close();
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
        try {
            lock.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void removeAbandoned(Path parent, String prefix, UserPrincipal us) throws IOException {
        for (Path directory : entries(parent, prefix + "-*")) {
            try {
                if (isOnlyFor(us, directory) && isAbandoned(directory)) {
                    FileTree.delete(directory);
                }
            } catch (IOException | UncheckedIOException e) {
                log.warn("left an abandoned directory: {}", e.getMessage());
            }
        }
    }

    /** In a shared parent, such as the temporary directory, anybody may make anything of that name. */
    private static boolean isOnlyFor(UserPrincipal us, Path directory) throws IOException {
        PosixFileAttributes attributes =
                Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return attributes.isDirectory()
                && attributes.owner().equals(us)
                && attributes.permissions().equals(OURS_ONLY);
    }

    private static boolean isAbandoned(Path directory) {
        try {
            String owner = Files.readString(directory.resolve(OWNER)).strip();
            // To open and close a file that this JVM has locked would unlock it: that is how POSIX locks work.
            if (owner.equals(Long.toString(ProcessHandle.current().pid()))) {
                return false;
            }
            try (FileChannel channel = openLock(directory);
                    FileLock free = channel.tryLock()) {
                return free != null;
            }
        } catch (IOException e) {
            // Kept for good, being made or removed this very moment, or of another user.
            return false;
        }
    }

    private static FileChannel openLock(Path directory) throws IOException {
        return FileChannel.open(directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private static List<Path> entries(Path directory, String glob) throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, glob)) {
            return StreamSupport.stream(stream.spliterator(), false).toList();
        }
    }
}
