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
 * A temporary directory of this JVM.
 *
 * <p>Only this user can read the directory. {@link #close()} removes it. If the JVM is killed first, a later JVM removes the directory when
 * that JVM creates a work directory with the same parent and prefix. A locked file shows that a directory is in use; the operating system
 * releases the lock when the JVM ends.
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
     * Creates a directory {@code <parent>/<prefix>-<random>}, and removes the directories of ended JVMs.
     *
     * @throws UncheckedIOException if the directory cannot be created
     */
    public static WorkDirectory create(Path parent, String prefix) {
        try {
            Files.createDirectories(parent);
            Path path = Files.createTempDirectory(
                            parent.toAbsolutePath(), prefix + "-", PosixFilePermissions.asFileAttribute(OURS_ONLY))
                    .normalize();
            try {
                return locked(path, parent, prefix);
            } catch (IOException | RuntimeException e) {
                FileTree.delete(path);
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create a work directory in " + parent + ": " + e.getMessage(), e);
        }
    }

    /** Locks a new directory, and removes the directories of ended JVMs. */
    private static WorkDirectory locked(Path path, Path parent, String prefix) throws IOException {
        FileChannel lock = openLock(path);
        try {
            lock.lock();
            // Written only when the lock is held: a directory with this file and without a lock is removed as
            // abandoned.
            Files.writeString(path.resolve(OWNER), ProcessHandle.current().pid() + "\n");
            removeAbandoned(parent, prefix, Files.getOwner(path));
            return new WorkDirectory(path, lock);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    public Path path() {
        return path;
    }

    /** Returns a subdirectory, and creates it if it does not exist. */
    public Path directory(String name) {
        try {
            return Files.createDirectories(path.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes all entries except {@code name}. Later runs keep this entry too. */
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

    /** Removes the directory with all its content. */
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
                log.warn("cannot delete the work directory of an ended process: {}", e.getMessage());
            }
        }
    }

    /** Whether only this user can access the directory. Other users may create directories with the same prefix in a shared parent. */
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
            // Opening and closing a file that this JVM has locked would release the lock, because POSIX locks belong to
            // the process.
            if (owner.equals(Long.toString(ProcessHandle.current().pid()))) {
                return false;
            }
            try (FileChannel channel = openLock(directory);
                    FileLock free = channel.tryLock()) {
                return free != null;
            }
        } catch (IOException e) {
            // The directory is kept by keepOnly, is just being created or removed, or belongs to another user.
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
