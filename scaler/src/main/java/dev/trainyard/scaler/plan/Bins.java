package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.plan.Bin.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Bins of one kind in the order in which they are to be filled: whoever may use one of them may use them all, room aside. */
final class Bins {

    private final List<@Nullable Bin> slots = new ArrayList<>();
    private final Tournament index;
    private final Journal journal;

    /** @param bins those that there are already */
    Bins(int axes, Journal journal, List<Bin> bins) {
        this.index = new Tournament(axes);
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
        journal.changed(() -> {
            slots.remove(slot);
            index.clear(slot);
        });
    }

    /** Changes the bin of a slot. */
    void set(int slot, @Nullable Bin bin) {
        var before = slots.get(slot);
        put(slot, bin);
        journal.changed(() -> put(slot, before));
    }

    private void put(int slot, @Nullable Bin bin) {
        slots.set(slot, bin);
        if (bin == null) {
            index.clear(slot);
        } else {
            index.set(slot, bin.free);
        }
    }

    /** How many machines there are. */
    int machines() {
        int machines = 0;
        for (var bin : slots) {
            machines += bin == null ? 0 : bin.count;
        }
        return machines;
    }

    /** The number of slots; {@link #get} has null for those that are empty. */
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

    /** Moves that many machines to {@code aside}, the last ones first. */
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
     * Puts up to {@code pods} pods into these bins, the first ones first.
     *
     * @param used receives the bins that got some; may be these themselves
     * @return how many there was room for
     */
    int take(Demand demand, int pods, Bins used) {
        int left = pods;
        for (int slot = index.first(demand.request(), 0);
                slot >= 0 && left > 0;
                slot = index.first(demand.request(), slot + 1)) {
            var bin = slots.get(slot);
            if (bin == null) {
                throw new IllegalStateException("an empty slot has room");
            }
            left -= fill(bin, demand, left, slot, used);
        }
        return pods - left;
    }

    /**
     * Puts pods on new machines.
     *
     * @param machines no more than the pods need
     * @return how many there was room for
     */
    int open(int machines, long[] empty, Demand demand, int pods) {
        return machines == 0 ? 0 : fill(Bin.machines(Origin.NEW, machines, empty), demand, pods, -1, this);
    }

    /** @param slot the bin's; -1: it has none */
    private int fill(Bin bin, Demand demand, int pods, int slot, Bins used) {
        long each = Axes.times(bin.free, demand.request());
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
            // A bin that stays among its like keeps its place.
            var stays = used == this && untouched == 0 ? results.remove(0) : null;
            set(slot, untouched > 0 ? bin.withCount(untouched) : stays);
        }
        results.forEach(used::add);
        return (int) (full * each) + rest;
    }
}
