package dev.trainyard.local.binaries;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** One way to get binaries that are not on this machine yet. */
interface Supply {

    /** For messages: "go build". */
    String name();

    /**
     * Puts what it can get of the missing binaries into the directory, each one whole or not at all.
     *
     * @return why some could not be had; empty when all were
     */
    Optional<String> supply(KubernetesVersion version, Set<Binary> missing, Path into) throws IOException;
}
