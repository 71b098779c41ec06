package dev.trainyard.local.binaries;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.stream.Collectors;

/**
 * A directory that contains every {@link Binary}.
 *
 * @param origin source of the directory for messages, such as "user cache" or "TRAINYARD_CONTROL_PLANE"
 */
public record ControlPlaneBinaries(Path directory, KubernetesVersion version, String origin) {

    public Path path(Binary binary) {
        return directory.resolve(binary.fileName());
    }

    /** Returns the binaries that have no executable file in the directory. */
    static EnumSet<Binary> missingIn(Path directory) {
        return Arrays.stream(Binary.values())
                .filter(binary -> !Files.isExecutable(directory.resolve(binary.fileName())))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Binary.class)));
    }
}
