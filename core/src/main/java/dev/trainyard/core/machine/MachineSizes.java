package dev.trainyard.core.machine;

import java.util.Collection;
import java.util.Optional;

/**
 * Which sizes of machine are known. What a cloud's API told is another source of them, beside {@link #builtIn()}: whoever asked keeps the
 * answers, as looking up must not wait. Safe for concurrent use.
 */
public interface MachineSizes {

    /** The size of this name, in any case. */
    Optional<MachineSize> find(String name);

    /** All names, in the order that people look for them. */
    Collection<String> names();

    /** Those of the table that comes with Trainyard: sizes with NVIDIA GPUs, and common ones without. */
    static MachineSizes builtIn() {
        return SizeTable.BUILT_IN;
    }
}
