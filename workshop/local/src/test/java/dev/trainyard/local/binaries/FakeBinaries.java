package dev.trainyard.local.binaries;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/** Shell scripts with the names of the real programs, which print a given version. */
final class FakeBinaries {
    private FakeBinaries() {}

    static Path directory(Path directory, String kubernetesVersion) {
        write(directory, List.of(Binary.values()), kubernetesVersion);
        return directory;
    }

    static void write(Path directory, Collection<Binary> binaries, String kubernetesVersion) {
        try {
            Files.createDirectories(directory);
            for (Binary binary : binaries) {
                script(directory.resolve(binary.fileName()), "echo Kubernetes v" + kubernetesVersion);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Writes a go command, which adds its arguments to a file, and prints a version.
     *
     * @param build what {@code go build} does; {@code $2} is the directory of the module
     */
    static void go(Path file, Path calls, String version, String build) throws IOException {
        script(file, """
                echo "$@" >> %s
                case "$3" in
                env) echo %s; exit;;
                esac
                %s""".formatted(calls, version, build));
    }

    static Path script(Path file, String text) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        if (!file.toFile().setExecutable(true)) {
            throw new IOException(file + " cannot be made executable");
        }
        return file;
    }
}
