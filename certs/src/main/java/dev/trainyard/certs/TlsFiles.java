package dev.trainyard.certs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The files of one TLS directory. Writes are atomic: a reader sees the old or the new content, never a part of it, even after a crash. */
final class TlsFiles {
    static final String CA_CERTIFICATE = "ca.crt";
    static final String CA_KEY = "ca.key";
    static final String CERTIFICATE = "tls.crt";
    static final String KEY = "tls.key";

    private static final String LOCK = ".lock";
    /**
     * A lock between the threads of this process. The file lock cannot exclude threads, because it belongs to the whole process. Also,
     * closing any channel of the lock file would release the file lock of another thread.
     */
    private static final ReentrantLock THREADS = new ReentrantLock();

    private final Path directory;

    /** Creates the directory, for this user only, if it does not exist. */
    TlsFiles(Path directory) {
        this.directory = directory;
        try {
            Files.createDirectories(directory, permissions("rwx------"));
        } catch (FileAlreadyExistsException e) {
            throw new TlsException("the TLS directory " + directory + " is a file; name a directory", e);
        } catch (IOException e) {
            throw failure("cannot create the TLS directory " + directory, e);
        }
    }

    Path path(String name) {
        return directory.resolve(name);
    }

    boolean has(String name) {
        return Files.exists(path(name));
    }

    boolean isWritable() {
        return Files.isWritable(directory);
    }

    String read(String name) {
        try {
            return Files.readString(
                    path(name), StandardCharsets.ISO_8859_1); // PEM is ASCII; this charset accepts all bytes
        } catch (IOException e) {
            throw failure("cannot read " + path(name), e);
        }
    }

    void writeCertificate(String name, String pem) {
        write(name, pem, "rw-r--r--");
    }

    void writeKey(String name, String pem) {
        write(name, pem, "rw-------");
    }

    void rename(String from, String to) {
        try {
            Files.move(path(from), path(to), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw failure("cannot write " + path(to), e);
        }
    }

    /** Runs the action under a lock. Meanwhile, no other thread or process runs a locked action in this directory. */
    <T> T locked(Supplier<T> action) {
        THREADS.lock();
        try (FileChannel channel = FileChannel.open(
                        path(LOCK),
                        Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                        permissions("rw-------"));
                FileLock lock = channel.lock()) {
            assert lock.isValid();
            return action.get();
        } catch (IOException e) {
            throw failure("cannot lock " + path(LOCK), e);
        } finally {
            THREADS.unlock();
        }
    }

    private void write(String name, String text, String permissions) {
        String temporary = "." + name + ".tmp"; // one writer at a time: see locked()
        Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            Files.deleteIfExists(path(temporary)); // left by a process that was killed
            try (FileChannel channel = FileChannel.open(path(temporary), options, permissions(permissions))) {
                ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
        } catch (IOException e) {
            throw failure("cannot write " + path(name), e);
        }
        rename(temporary, name);
    }

    private FileAttribute<?>[] permissions(String permissions) {
        return directory.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    private static TlsException failure(String what, Exception e) {
        if (e instanceof AccessDeniedException) {
            return new TlsException(
                    what + ": permission denied; give the user that runs Trainyard access to this path", e);
        }
        if (e instanceof NoSuchFileException) {
            return new TlsException(what + ": it does not exist", e);
        }
        // The message of a FileSystemException starts with the file, which the text contains already.
        var reason = e instanceof FileSystemException ofFile ? ofFile.getReason() : null;
        return new TlsException(what + ": " + (reason == null ? e.getMessage() : reason), e);
    }
}
