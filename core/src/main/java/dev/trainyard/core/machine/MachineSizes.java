package dev.trainyard.core.machine;

import java.util.Collection;
import java.util.Optional;

/**
 * The known sizes of machines. One source is {@link #builtIn()}, another one is the cloud's API. The caller of the API keeps its answers,
 * because a lookup here must not block. Safe for concurrent use.
 */
public interface MachineSizes {

    /** Returns the size with this name, ignoring case. */
    Optional<MachineSize> find(String name);

    /** Returns all names, in alphabetical order within each source. */
    Collection<String> names();

    /** Returns the sizes of the table that Trainyard contains: sizes with NVIDIA GPUs, and common ones without. */
    static MachineSizes builtIn() {
        return SizeTable.BUILT_IN;
    }
}
