package dev.trainyard.local.binaries;

import dev.trainyard.local.process.FileTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cache of binaries for all runs and projects of a user. An entry of the cache is a directory for one Kubernetes version, platform and set
 * of pinned Go modules.
 *
 * <p>An entry appears only when it is complete, and only one process fills it. If the filling fails, the binaries obtained so far stay in a
 * directory with the suffix {@code .partial}, for the next attempt.
 */
final class BinaryCache {

    /** A source of binaries for an entry. */
    interface Filling {
        /** Puts all binaries into the directory, which may contain some already. Fails if a binary is unavailable. */
        void fill(Path directory) throws IOException;
    }

    private final Path root;
    private final Platform platform;
    private final ProgressListener progress;

    BinaryCache(Path root, Platform platform, ProgressListener progress) {
        this.root = root;
        this.platform = platform;
        this.progress = progress;
    }

    /**
     * Returns the directory of this name in {@code $XDG_CACHE_HOME/trainyard}. Uses {@code ~/.cache} if the variable is unset or not an
     * absolute path, as the XDG specification requires.
     */
    static Path directory(Map<String, String> environment, String name) {
        String xdg = environment.getOrDefault("XDG_CACHE_HOME", "");
        Path caches = !xdg.startsWith("/") ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(xdg);
        return caches.resolve("trainyard").resolve(name);
    }

    /** Returns the directory of this version's binaries, which may not exist yet. */
    Path location(KubernetesVersion version) {
        return root.resolve(version.full() + "-" + platform + "-" + GoSources.fingerprint(version));
    }

    /** Returns the binaries of an entry. Fills the entry first if it is incomplete. */
    ControlPlaneBinaries getOrFill(KubernetesVersion version, Filling filling) {
        Path entry = location(version);
        ControlPlaneBinaries binaries = new ControlPlaneBinaries(entry, version, "user cache");
        if (isComplete(entry)) {
            return binaries;
        }
        try {
            Files.createDirectories(root);
            try (FileChannel channel = FileChannel.open(
                            sibling(entry, ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock lock = lock(channel, version)) {
                if (lock.isValid() && !isComplete(entry)) {
                    fill(entry, filling);
                }
            }
            return binaries;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot fill the cache of control-plane binaries in " + root + ": " + e.getMessage(), e);
        }
    }

    private static void fill(Path entry, Filling filling) throws IOException {
        Path partial = Files.createDirectories(sibling(entry, ".partial"));
        filling.fill(partial);
        // An existing entry here is incomplete: a file was removed from it.
        FileTree.delete(entry);
        Files.move(partial, entry, StandardCopyOption.ATOMIC_MOVE);
    }

    private static boolean isComplete(Path entry) {
        return ControlPlaneBinaries.missingIn(entry).isEmpty();
    }

    private static Path sibling(Path entry, String suffix) {
        return entry.resolveSibling(entry.getFileName() + suffix);
    }

    private FileLock lock(FileChannel channel, KubernetesVersion version) throws IOException {
        @Nullable FileLock lock = tryLock(channel);
        if (lock == null) {
            progress.step("Another process is preparing binaries of Kubernetes " + version + "; waiting for it");
        }
        while (lock == null) {
            try {
                Thread.sleep(200);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while another process was filling the cache of binaries", e);
            }
            lock = tryLock(channel);
        }
        return lock;
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // Another thread of this JVM holds the lock.
            return null;
        }
    }
}
