package dev.trainyard.core.machine;

import java.util.Collection;
import java.util.Optional;

/**
 * The known sizes of machines. The sources are {@link #builtIn()} and the APIs of the clouds. A lookup never calls an API, because it must
 * not block; it uses answers that were stored in advance. Safe for concurrent use.
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
