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

    static Path script(Path file, String text) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        if (!file.toFile().setExecutable(true)) {
            throw new IOException(file + " cannot be made executable");
        }
        return file;
    }
}
