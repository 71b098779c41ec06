package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.plan.Bin.Origin;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Bins in the order in which they are filled. All bins of one list belong to the same {@link NodeGroup} or the same pool. So a pod's node
 * constraints rule out either all of the bins or none.
 */
final class Bins {

    private final List<@Nullable Bin> slots = new ArrayList<>();
    private final SlotIndex index;
    private final UndoLog journal;
    /** The requests for which no bin has room, by {@link Demand#amounts}. Many demands have equal requests, such as gangs. */
    private final Map<Integer, long[]> full = new HashMap<>();

    /** @param bins the initial bins */
    Bins(ResourceIndex axes, UndoLog journal, List<Bin> bins) {
        this.index = new SlotIndex(axes.weights());
        this.journal = journal;
        bins.forEach(this::add);
    }

    void add(Bin bin) {
        if (bin.count == 0) {
            return;
        }
        int slot = slots.size();
        slots.add(bin);
        index.set(slot, bin.free);
        hasMoreRoom(bin);
        journal.changed(() -> {
            slots.remove(slot);
            index.clear(slot);
        });
    }

    /** Replaces the bin of a slot; null empties the slot. */
    void set(int slot, @Nullable Bin bin) {
        var before = slots.get(slot);
        put(slot, bin);
        journal.changed(() -> put(slot, before));
    }

    private void put(int slot, @Nullable Bin bin) {
        var before = slots.set(slot, bin);
        if (bin != null && (before == null || !ResourceIndex.holds(before.free, bin.free))) {
            hasMoreRoom(bin);
        }
        if (bin == null) {
            index.clear(slot);
        } else {
            index.set(slot, bin.free);
        }
    }

    private void hasMoreRoom(Bin bin) {
        full.values().removeIf(request -> ResourceIndex.holds(bin.free, request));
    }

    /** Returns the number of machines in all bins. */
    int machines() {
        int machines = 0;
        for (var bin : slots) {
            machines += bin == null ? 0 : bin.count;
        }
        return machines;
    }

    /** Returns the number of slots. {@link #get} returns null for an empty slot. */
    int size() {
        return slots.size();
    }

    @Nullable
    Bin get(int slot) {
        return slots.get(slot);
    }

    void forEach(Consumer<Bin> consumer) {
        for (var bin : slots) {
            if (bin != null) {
                consumer.accept(bin);
            }
        }
    }

    /** Moves up to {@code number} machines to {@code aside}, beginning with the last bin. */
    void setAside(int number, Bins aside) {
        int left = number;
        for (int slot = slots.size() - 1; slot >= 0 && left > 0; slot--) {
            var bin = slots.get(slot);
            if (bin != null) {
                int moved = Math.min(left, bin.count);
                aside.add(bin.withCount(moved));
                set(slot, bin.count > moved ? bin.withCount(bin.count - moved) : null);
                left -= moved;
            }
        }
    }

    /**
     * Puts up to {@code pods} pods into these bins, beginning with the first bin.
     *
     * @param used receives the bins that got pods; may be this object
     * @return how many pods were placed
     */
    int take(Demand demand, int pods, Bins used) {
        if (full.containsKey(demand.amounts())) {
            return 0;
        }
        int left = pods;
        int slot = index.first(demand.request(), 0);
        while (slot >= 0) {
            left -= fill(bin(slot), demand, left, slot, used);
            slot = left == 0 ? -1 : index.first(demand.request(), slot + 1);
        }
        if (left > 0) {
            full.put(demand.amounts(), demand.request());
        }
        return pods - left;
    }

    /**
     * Puts up to {@code pods} pods on nodes that have no planned pods.
     *
     * @param nodes the names of the nodes that may be used
     * @return how many pods were placed
     */
    int takeUntouched(Demand demand, int pods, Set<String> nodes) {
        int left = pods;
        int slot = index.first(demand.request(), 0);
        while (slot >= 0 && left > 0) {
            var bin = bin(slot);
            if (bin.load == null && nodes.contains(bin.node)) {
                left -= fill(bin, demand, left, slot, this);
            }
            slot = index.first(demand.request(), slot + 1);
        }
        return pods - left;
    }

    /** Returns the number of machines without planned pods. */
    int untouched() {
        int machines = 0;
        for (var bin : slots) {
            machines += bin == null || bin.load != null ? 0 : bin.count;
        }
        return machines;
    }

    /**
     * Puts pods on new machines.
     *
     * @param machines how many new machines; no more than the pods need
     * @return how many pods were placed
     */
    int open(int machines, long[] empty, Demand demand, int pods) {
        return machines == 0 ? 0 : fill(Bin.machines(Origin.NEW, machines, empty), demand, pods, -1, this);
    }

    /**
     * Puts up to {@code pods} pods with inter-pod constraints into these bins, beginning with the first bin.
     *
     * @param used receives the bins that got pods; may be this object
     * @param pool the number of the machines' pool; ignored for nodes
     * @return how many pods were placed
     */
    int seat(Demand demand, int pods, Bins used, ConstrainedSeating seating, int pool) {
        int left = pods;
        int size = slots.size(); // the loop skips bins that it adds: they can take no more pods
        int slot = index.first(demand.request(), 0);
        while (slot >= 0 && slot < size) {
            left -= seat(slot, demand, left, used, seating, pool);
            slot = left == 0 ? -1 : index.first(demand.request(), slot + 1);
        }
        return pods - left;
    }

    /** Returns the bin of a slot that the index has found. */
    private Bin bin(int slot) {
        var bin = slots.get(slot);
        if (bin == null) {
            throw new IllegalStateException("the slot index reports room in an empty slot");
        }
        return bin;
    }

    private int seat(int slot, Demand demand, int pods, Bins used, ConstrainedSeating seating, int pool) {
        var bin = bin(slot);
        boolean stays = used == this && bin.count == 1;
        int left = pods;
        int machines = 0;
        while (machines < bin.count && left > 0) {
            var filled = seated(bin, demand, left, seating, pool);
            if (filled == null) {
                break; // the bin's other machines are equal, so they cannot take pods either
            }
            machines++;
            left -= filled.load == null ? 0 : filled.load.pods();
            if (stays) {
                set(slot, filled);
            } else {
                used.add(filled);
            }
        }
        if (machines > 0 && !stays) {
            set(slot, bin.count > machines ? bin.withCount(bin.count - machines) : null);
        }
        return pods - left;
    }

    /**
     * Puts pods with inter-pod constraints on one new machine.
     *
     * @return how many pods were placed; 0 if inter-pod constraints rule the machine out
     */
    int seatOnNew(long[] empty, Demand demand, int pods, ConstrainedSeating seating, int pool) {
        var filled = seated(Bin.machines(Origin.NEW, 1, empty), demand, pods, seating, pool);
        if (filled == null || filled.load == null) {
            return 0;
        }
        add(filled);
        return filled.load.pods();
    }

    /** Returns one machine of the bin with as many additional pods as possible; null if none can be added. */
    private @Nullable Bin seated(Bin bin, Demand demand, int pods, ConstrainedSeating seating, int pool) {
        int mark = seating.mark();
        var site = seating.siteOf(bin).orElseGet(() -> seating.newMachine(pool));
        int seated = seating.seat(demand, site, (int) Math.min(pods, ResourceIndex.times(bin.free, demand.request())));
        if (seated == 0) {
            seating.undo(mark);
            return null;
        }
        journal.changed(() -> seating.undo(mark));
        return bin.at(site).filled(1, demand, seated);
    }

    /** @param slot the bin's slot; -1 if the bin has none */
    private int fill(Bin bin, Demand demand, int pods, int slot, Bins used) {
        long each = ResourceIndex.times(bin.free, demand.request());
        int full = (int) Math.min(bin.count, pods / each);
        int rest = full < bin.count ? (int) (pods - full * each) : 0;
        int untouched = bin.count - full - (rest > 0 ? 1 : 0);
        var results = new ArrayList<Bin>(3);
        if (full > 0) {
            results.add(bin.filled(full, demand, (int) each));
        }
        if (rest > 0) {
            results.add(bin.filled(1, demand, rest));
        }
        if (slot >= 0) {
            // A bin that stays in this list keeps its slot.
            var stays = used == this && untouched == 0 ? results.remove(0) : null;
            set(slot, untouched > 0 ? bin.withCount(untouched) : stays);
        }
        results.forEach(used::add);
        return (int) (full * each) + rest;
    }
}
