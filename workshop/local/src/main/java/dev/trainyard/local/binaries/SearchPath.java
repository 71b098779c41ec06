package dev.trainyard.local.binaries;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/** The directories of the PATH, in which a shell searches for programs. */
final class SearchPath {
    private final String path;

    SearchPath(Map<String, String> environment) {
        this.path = environment.getOrDefault("PATH", "");
    }

    Optional<Path> find(String program) {
        return Arrays.stream(path.split(File.pathSeparator, -1))
                .filter(directory -> !directory.isBlank())
                .map(directory -> Path.of(directory).resolve(program))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }
}
