package dev.trainyard.local.binaries;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** A source of binaries that are not on this machine yet. */
interface BinaryProvider {

    /** Returns the name for messages, such as "go build". */
    String name();

    /**
     * Puts those missing binaries that this source has into the directory. A binary appears there complete or not at all.
     *
     * @return why some of the missing binaries are unavailable; empty if this source provided all
     */
    Optional<String> supply(KubernetesVersion version, Set<Binary> missing, Path into) throws IOException;
}
