package dev.trainyard.cloud.azure;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a resource group has of one kind, as last listed. Its pools share it: a list for each of them would be more than the 360 costly reads
 * a minute that Azure allows a subscription, with twenty pools or more. Thread-safe; who asks while it is being listed waits for the same.
 */
final class SharedList<T> {

    private @Nullable Listed<T> last;

    /** @param at when it was listed */
    record Listed<T>(List<T> items, Instant at) {
        Listed {
            items = List.copyOf(items);
        }
    }

    /** Asks Azure. */
    @FunctionalInterface
    interface Source<T> {
        List<T> list() throws ArmException;
    }

    synchronized Listed<T> get(Instant now, Source<T> source) throws ArmException {
        var known = last;
        if (known == null || Due.isDue(known.at(), VirtualMachineMemory.MOVING, now)) {
            known = new Listed<>(source.list(), now);
            last = known;
        }
        return known;
    }

    /** What was listed does not hold any more: something was changed. */
    synchronized void outdated() {
        last = null;
    }
}
