package dev.trainyard.workshop.cluster;

import dev.trainyard.runtime.configuration.ResourceFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** The manifests that the build packed into the executable. */
public final class PackedManifests {

    private static final String ROOT = "/manifests";

    private PackedManifests() {}

    /** Writes all manifests to {@code directory/manifests}, and returns that directory. */
    static Path unpack(Path directory) {
        var target = directory.resolve("manifests");
        URL source = Objects.requireNonNull(PackedManifests.class.getResource(ROOT), "the build packed no manifests");
        try {
            URI uri = source.toURI();
            if (uri.getScheme().equals("jar")) {
                try (var jar = FileSystems.newFileSystem(uri, Map.of())) {
                    copy(jar.getPath(ROOT), target);
                }
            } else {
                copy(Path.of(uri), target);
            }
            return target;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unpack the manifests to " + target, e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Reads the objects of a manifest.
     *
     * @param name the path of the manifest, such as {@code manifests/examples/pools.yaml}
     * @throws IllegalArgumentException if there is no manifest of that name
     */
    public static ResourceFiles read(String name) {
        try (var stream = PackedManifests.class.getResourceAsStream("/" + name)) {
            if (stream == null) {
                throw new IllegalArgumentException("the build packed no " + name);
            }
            return ResourceFiles.read(name, stream);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }

    private static void copy(Path source, Path target) throws IOException {
        try (var files = Files.walk(source)) {
            for (var file : (Iterable<Path>) files::iterator) {
                var copy = target.resolve(source.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
    }
}
