package dev.trainyard.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * A JDK on this machine, whose runtime an image can contain.
 *
 * @param major the major version, such as 25 of 25.0.3
 * @param version such as {@code 25.0.3+9-LTS}
 * @param implementor the builder of the JDK, such as {@code Eclipse Adoptium}
 */
record Jdk(Path home, int major, String version, String implementor) {

    /** The newest release with long-term support. The next is 29, in September 2027. */
    static final int NEWEST_LTS = 25;

    /** The order of preference; the preferred JDK is the greatest. */
    static final Comparator<Jdk> PREFERENCE =
            Comparator.comparing((Jdk jdk) -> jdk.major == NEWEST_LTS).thenComparing(Jdk::major);

    /** The Java release that Trainyard is compiled for. */
    private static final int OLDEST = 17;

    private static final Path INSTALLED = Path.of("/usr/lib/jvm");

    /** @throws ImageException if there is no JDK at {@code home}, or if it is too old */
    static Jdk at(Path home) {
        var jdk = read(home)
                .orElseThrow(() -> new ImageException(
                        "--jdk: %s is not a JDK: it lacks bin/jlink or the file 'release'. Name the directory of a JDK %d."
                                .formatted(home, NEWEST_LTS)));
        if (jdk.major < OLDEST) {
            throw new ImageException("--jdk: %s is Java %d; Trainyard needs %d or newer, best %d."
                    .formatted(home, jdk.major, OLDEST, NEWEST_LTS));
        }
        return jdk;
    }

    /**
     * Returns a JDK of release {@link #NEWEST_LTS}, else the newest JDK. Candidates are the installed JDKs and the JDK that runs this
     * process.
     */
    static Jdk best() {
        var homes = new ArrayList<Path>(List.of(Path.of(System.getProperty("java.home"))));
        if (Files.isDirectory(INSTALLED)) {
            try (Stream<Path> installed = Files.list(INSTALLED)) {
                installed.sorted().forEach(homes::add);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return homes.stream()
                .flatMap(home -> read(home).stream())
                .filter(jdk -> jdk.major >= OLDEST)
                .max(PREFERENCE)
                .orElseThrow(() -> new ImageException(
                        "No JDK with jlink is installed in %s. Install a JDK %d, or name its directory with --jdk."
                                .formatted(INSTALLED, NEWEST_LTS)));
    }

    private static Optional<Jdk> read(Path home) {
        var release = home.resolve("release");
        if (!Files.isRegularFile(release) || !Files.isExecutable(home.resolve("bin/jlink"))) {
            return Optional.empty();
        }
        var properties = new Properties();
        try (var reader = Files.newBufferedReader(release)) {
            properties.load(reader);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var version = text(properties, "JAVA_RUNTIME_VERSION", text(properties, "JAVA_VERSION", "0"));
        return Optional.of(new Jdk(
                home,
                Integer.parseInt(version.replaceFirst("\\D.*", "")),
                version,
                text(properties, "IMPLEMENTOR", "OpenJDK")));
    }

    private static String text(Properties properties, String name, String missing) {
        return properties.getProperty(name, missing).replace("\"", "");
    }
}
