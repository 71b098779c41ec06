package dev.trainyard.core.machine;

import java.util.Collection;
import java.util.Optional;

/**
 * The known sizes of machines. The sources are {@link #builtIn()} and the APIs of the clouds. A lookup must not block, so it never calls an
 * API; it uses answers that were stored earlier. Safe for concurrent use.
 */
public interface MachineSizes {

    /** Returns the size with this name, ignoring case. */
    Optional<MachineSize> find(String name);

    /** Returns all names, in alphabetical order within each source. */
    Collection<String> names();

    /** Returns the sizes of Trainyard's own table: sizes with NVIDIA GPUs, and common sizes without GPUs. */
    static MachineSizes builtIn() {
        return SizeTable.BUILT_IN;
    }
}
