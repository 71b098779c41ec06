package dev.trainyard.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A class-data sharing archive, with which the JVM starts faster. It has the classes of the runtime and of the libraries in the JVM's
 * memory format. The JVM accepts the archive only with the same runtime and the same jars, by name, size and time; the image contains both.
 * Classes of Trainyard are not in the archive, so that the archive stays the same if only these classes change.
 *
 * <p>The list of archived classes is kept in the sources; {@code docs/decisions/0041} states the reasons.
 */
final class ClassArchive {

    /** The first Java release whose archives work after the jars are moved to another directory. */
    private static final int RELOCATABLE = 20;

    private static final String LIST = "classes.list";

    private ClassArchive() {}

    /**
     * Makes the archive in {@code directory}, or reuses an archive that was made of the same JDK, modules, classes and libraries.
     *
     * @return the archive; empty if the JDK is older than {@link #RELOCATABLE}
     */
    static Optional<Path> make(Jdk jdk, Path runtime, Jars jars, Path directory) {
        if (jdk.major() < RELOCATABLE) {
            return Optional.empty();
        }
        var staged = directory.resolve("lib");
        var archive = directory.resolve("classes.jsa");
        var madeOf = directory.resolve("classes.of");
        try {
            var parts = parts(jdk, jars);
            if (Files.exists(archive)
                    && Files.exists(madeOf)
                    && Files.readString(madeOf).equals(parts)) {
                return Optional.of(archive);
            }
            Files.deleteIfExists(madeOf);
            Directories.delete(staged);
            Files.createDirectories(staged);
            for (var jar : jars.libraries()) {
                var copy = Files.copy(jar, staged.resolve(jar.getFileName()));
                Files.setLastModifiedTime(copy, FileTime.from(Layers.TIME));
            }
            Files.write(directory.resolve(LIST), list());
            Program.run(List.of(
                    runtime.resolve("bin/java").toString(),
                    "-XX:+UseSerialGC",
                    "-Xshare:dump",
                    "-XX:SharedClassListFile=" + directory.resolve(LIST),
                    "-XX:SharedArchiveFile=" + archive,
                    "-cp",
                    jars.libraries().stream()
                            .map(jar -> staged.resolve(jar.getFileName()).toString())
                            .collect(Collectors.joining(":"))));
            Directories.delete(staged);
            Files.writeString(madeOf, parts);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Optional.of(archive);
    }

    /** Returns a text of everything that determines the contents of the archive. */
    private static String parts(Jdk jdk, Jars jars) throws IOException {
        var parts = new StringBuilder("%s %s\n%s\n%s\n"
                .formatted(jdk.implementor(), jdk.version(), String.join(",", JavaRuntime.MODULES), sha256(list())));
        for (var jar : jars.libraries()) {
            parts.append("%s %s\n".formatted(jar.getFileName(), sha256(Files.readAllBytes(jar))));
        }
        return parts.toString();
    }

    private static byte[] list() throws IOException {
        try (InputStream list = ClassArchive.class.getResourceAsStream(LIST)) {
            return Objects.requireNonNull(list, LIST).readAllBytes();
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JVM has SHA-256
        }
    }
}
