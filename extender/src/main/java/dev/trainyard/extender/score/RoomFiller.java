package dev.trainyard.extender.score;

import dev.trainyard.extender.gpu.GpuDemand;
import dev.trainyard.extender.pod.PodClass;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** The free resources of a node while pods are placed on the node, one after the other. */
final class RoomFiller {

    private final int leastMilli;
    private final int[] parts; // free thousandths of shared GPUs, the fullest first
    private int partsLeft;
    private int whole;
    private long cpu;
    private long memory;

    private RoomFiller(long cpu, long memory, int whole, int[] parts, int partsLeft, int leastMilli) {
        this.cpu = cpu;
        this.memory = memory;
        this.whole = whole;
        this.parts = parts;
        this.partsLeft = partsLeft;
        this.leastMilli = leastMilli;
    }

    /** @param leastMilli the least part of a GPU that a pod can use, in thousandths */
    static RoomFiller of(Room room, int leastMilli) {
        var gpus = room.gpus();
        var parts = new int[gpus.gpus() + 1];
        int left = gpus.copyParts(leastMilli, parts);
        return new RoomFiller(room.cpu(), room.memory(), gpus.countWith(GpuDemand.WHOLE), parts, left, leastMilli);
    }

    /**
     * Places each pod that still fits, and skips the others.
     *
     * @param sequence indexes into {@code classes}
     * @param accepted indexes of the classes that may run on this kind of machine
     * @param leastCpu the least CPU that a pod with a GPU needs, in thousandths of a core
     * @return GPUs that the placed pods use, in thousandths
     */
    int with(int[] sequence, List<PodClass> classes, BitSet accepted, long leastCpu) {
        int used = 0;
        for (int index : sequence) {
            if (cpu < leastCpu || (whole == 0 && partsLeft == 0)) {
                break;
            }
            var pod = classes.get(index);
            if (pod.cpu() <= cpu && pod.memory() <= memory && accepted.get(index) && takesGpus(pod.gpus())) {
                cpu -= pod.cpu();
                memory -= pod.memory();
                used += pod.gpus().total();
            }
        }
        return used;
    }

    private boolean takesGpus(GpuDemand demand) {
        if (demand.isShare()) {
            return takesShare(demand.milli());
        }
        if (whole < demand.count()) {
            return false;
        }
        whole -= demand.count();
        return true;
    }

    private boolean takesShare(int milli) {
        int part = 0;
        while (part < partsLeft && parts[part] < milli) {
            part++;
        }
        if (part < partsLeft) {
            int rest = parts[part] - milli;
            System.arraycopy(parts, part + 1, parts, part, partsLeft - part - 1);
            partsLeft--;
            keep(rest);
            return true;
        }
        if (whole == 0) {
            return false;
        }
        whole--;
        keep(GpuDemand.WHOLE - milli);
        return true;
    }

    private void keep(int rest) {
        if (rest >= leastMilli) {
            int place = Arrays.binarySearch(parts, 0, partsLeft, rest);
            place = place < 0 ? -place - 1 : place;
            System.arraycopy(parts, place, parts, place + 1, partsLeft - place);
            parts[place] = rest;
            partsLeft++;
        }
    }
}
