package dev.trainyard.cloud.azure;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last list of the resources of one kind in a resource group. All pools of the group share the list. With twenty pools or more, separate
 * lists would exceed the 360 costly reads a minute that Azure allows a subscription. Thread-safe; concurrent callers wait for the same list.
 */
final class SharedList<T> {

    private @Nullable Listed<T> last;

    /** @param at when the items were listed */
    record Listed<T>(List<T> items, Instant at) {
        Listed {
            items = List.copyOf(items);
        }
    }

    /** A request to Azure for the list. */
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

    /** Discards the list, because something was changed. */
    synchronized void outdated() {
        last = null;
    }
}
