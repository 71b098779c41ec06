package dev.trainyard.image;

import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The lowest layer of an image without a base image. Contains the files of a Linux system that a Java runtime needs: this machine's C
 * library, a user, and the settings for looking up host names. Contains no shell and no programs.
 */
final class CLibrary {

    /** A line of ldd's output for a library that ldd found, or for the loader. */
    private static final Pattern FOUND = Pattern.compile("(?:=> )?(/\\S+) \\(0x");

    /**
     * The libraries that the C library loads at run time to look up users and hosts. Recent versions of the C library have them built in.
     */
    private static final List<String> LOADED = List.of("libnss_files.so.2", "libnss_dns.so.2", "libresolv.so.2");

    private static final Path LICENCE = Path.of("/usr/share/doc/libc6/copyright");

    private CLibrary() {}

    /**
     * @param directory the directory for generated files
     * @throws ImageException if libraries cannot be listed, as on macOS
     */
    static FileEntriesLayer layer(Path runtime, Path directory) {
        var layer = FileEntriesLayer.builder().setName("C library");
        for (var library : neededBy(runtime)) {
            Layers.addProgram(layer, library.toAbsolutePath(), library.toString());
        }
        if (Files.isReadable(LICENCE)) {
            Layers.addText(layer, LICENCE, LICENCE.toString());
        }
        try {
            Files.createDirectories(directory);
            text(layer, directory, "passwd", """
                    root:x:0:0:root:/:/sbin/nologin
                    nonroot:x:%1$d:%1$d:nonroot:/tmp:/sbin/nologin
                    """.formatted(ImageBuild.USER));
            text(layer, directory, "group", """
                    root:x:0:
                    nonroot:x:%d:
                    """.formatted(ImageBuild.USER));
            text(layer, directory, "nsswitch.conf", "hosts: files dns\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Layers.addShared(layer, directory, "/tmp");
        return layer.build();
    }

    /** Returns the version of this machine's C library, such as 2.36. */
    static String version() {
        return Program.run(List.of("ldd", "--version"))
                .lines()
                .findFirst()
                .orElse("")
                .replaceFirst(".* ", "");
    }

    private static NavigableSet<Path> neededBy(Path runtime) {
        var programs = new ArrayList<String>(List.of("ldd"));
        for (var file : Directories.files(runtime)) {
            if (file.toString().endsWith(".so") || file.startsWith(runtime.resolve("bin"))) {
                programs.add(file.toString());
            }
        }
        var needed = new TreeSet<Path>();
        for (var match : FOUND.matcher(Program.run(programs)).results().toList()) {
            var library = Path.of(match.group(1)).normalize();
            if (!library.startsWith(runtime.toAbsolutePath())) {
                needed.add(library);
            }
        }
        for (var directory : needed.stream().map(Path::getParent).distinct().toList()) {
            LOADED.stream().map(directory::resolve).filter(Files::exists).forEach(needed::add);
        }
        return needed;
    }

    private static void text(FileEntriesLayer.Builder layer, Path directory, String name, String text)
            throws IOException {
        Layers.addText(layer, Files.writeString(directory.resolve(name), text), "/etc/" + name);
    }
}
