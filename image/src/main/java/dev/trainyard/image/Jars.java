package dev.trainyard.image;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The jars of the executable, in the order of the class path. The libraries come first, so that the class-data sharing archive
 * ({@link ClassArchive}), which has no classes of Trainyard, does not depend on the jars of Trainyard.
 */
record Jars(List<Path> libraries, List<Path> ours) {

    private static final String OURS = "trainyard-";

    Jars {
        libraries = List.copyOf(libraries);
        ours = List.copyOf(ours);
    }

    /**
     * Returns the jars that the build of the module {@code cli} made.
     *
     * @param target the module's {@code target} directory
     * @throws ImageException if the jars are missing
     */
    static Jars builtIn(Path target) {
        var executable = target.resolve("trainyard-cli.jar");
        var lib = target.resolve("lib");
        if (!Files.isRegularFile(executable) || !Files.isDirectory(lib)) {
            throw new ImageException(
                    "%s lacks trainyard-cli.jar or the directory lib. Build both: mvn -DskipTests -pl image -am package"
                            .formatted(target));
        }
        var jars = Directories.files(lib).stream()
                .collect(Collectors.partitioningBy(
                        jar -> jar.getFileName().toString().startsWith(OURS)));
        return new Jars(
                jars.getOrDefault(false, List.of()),
                Stream.concat(Stream.of(executable), jars.getOrDefault(true, List.of()).stream())
                        .toList());
    }

    /** Returns the class path of the jars in {@code directory} of the image. */
    String classPath(String directory) {
        return Stream.concat(libraries.stream(), ours.stream())
                .map(jar -> directory + "/" + jar.getFileName())
                .collect(Collectors.joining(":"));
    }
}
