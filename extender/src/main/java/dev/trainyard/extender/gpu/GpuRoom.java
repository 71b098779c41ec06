package dev.trainyard.extender.gpu;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is left of each GPU of a node, in thousandths, the fullest first: which is which matters to nobody who chooses a node. Immutable.
 *
 * <p>Which GPU a pod got is known only when an annotation says so. Of all others is assumed what a device plugin that packs would do:
 * shares go to the GPU on which the least is left afterwards, whole ones to GPUs that nobody uses.
 */
public final class GpuRoom {

    public static final GpuRoom NONE = new GpuRoom(new int[0]);

    /** More GPUs than any machine has; a node may report any number. */
    private static final int MOST = 128;

    /**
     * A pod on the node.
     *
     * @param indexes of the GPUs it was given; empty when that is not known
     */
    public record Taken(GpuDemand demand, List<Integer> indexes) {
        public Taken {
            indexes = List.copyOf(indexes);
        }
    }

    private static final Comparator<Taken> LARGEST_FIRST =
            Comparator.comparingInt((Taken taken) -> taken.demand().total()).reversed();

    private final int[] free;
    private final int total;
    private final int hash;

    private GpuRoom(int[] free) {
        this.free = free;
        this.total = Arrays.stream(free).sum();
        this.hash = Arrays.hashCode(free);
    }

    /** Of a node with that many GPUs. What more is taken than there is counts as nothing left. */
    public static GpuRoom of(long gpus, Collection<Taken> taken) {
        if (gpus <= 0) {
            return NONE;
        }
        var free = new int[(int) Math.min(gpus, MOST)];
        Arrays.fill(free, GpuDemand.WHOLE);
        taken.stream().filter(pod -> isKnown(pod, free.length)).forEach(pod -> takeGiven(free, pod));
        taken.stream()
                .filter(pod -> !pod.demand().isNone() && !isKnown(pod, free.length))
                .sorted(LARGEST_FIRST)
                .forEach(pod -> takeAny(free, pod.demand()));
        Arrays.sort(free);
        return new GpuRoom(free);
    }

    /** GPUs with that much left, in thousandths each. */
    public static GpuRoom left(int... milli) {
        var free = milli.clone();
        Arrays.sort(free);
        return new GpuRoom(free);
    }

    private static boolean isKnown(Taken pod, int gpus) {
        return pod.indexes().size() == pod.demand().count()
                && pod.demand().count() > 0
                && pod.indexes().stream().allMatch(index -> index >= 0 && index < gpus);
    }

    private static void takeGiven(int[] free, Taken pod) {
        pod.indexes()
                .forEach(index ->
                        free[index] = Math.max(0, free[index] - pod.demand().milli()));
    }

    /** With no GPU that has enough, the emptiest gives what it has. */
    private static void takeAny(int[] free, GpuDemand demand) {
        for (int i = 0; i < Math.min(demand.count(), free.length); i++) {
            int best = 0;
            for (int gpu = 1; gpu < free.length; gpu++) {
                best = isBetter(free[gpu], free[best], demand.milli()) ? gpu : best;
            }
            free[best] = Math.max(0, free[best] - demand.milli());
        }
    }

    private static boolean isBetter(int candidate, int best, int wanted) {
        boolean enough = candidate >= wanted;
        return enough == best >= wanted ? (enough ? candidate < best : candidate > best) : enough;
    }

    /** The same room after the pod was placed in it; null when it does not fit. */
    public @Nullable GpuRoom after(GpuDemand demand) {
        if (demand.isNone()) {
            return this;
        }
        int first = firstWith(demand.milli());
        if (free.length - first < demand.count()) {
            return null;
        }
        var left = free.clone();
        for (int gpu = first; gpu < first + demand.count(); gpu++) {
            left[gpu] -= demand.milli();
        }
        Arrays.sort(left);
        return new GpuRoom(left);
    }

    /** On how many GPUs that much is left. */
    public int countWith(int milli) {
        return free.length - firstWith(milli);
    }

    /**
     * What is left of GPUs that are shared, the fullest first.
     *
     * @param least GPUs with less are left out
     * @param into has room for all GPUs
     * @return how many there are
     */
    public int copyParts(int least, int[] into) {
        int first = firstWith(least);
        int count = Math.max(0, firstWith(GpuDemand.WHOLE) - first);
        System.arraycopy(free, first, into, 0, count);
        return count;
    }

    private int firstWith(int milli) {
        int gpu = 0;
        while (gpu < free.length && free[gpu] < milli) {
            gpu++;
        }
        return gpu;
    }

    public int gpus() {
        return free.length;
    }

    /** All that is left, in thousandths of a GPU. */
    public int total() {
        return total;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof GpuRoom that && hash == that.hash && Arrays.equals(free, that.free);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** What is left of each, in thousandths. */
    @Override
    public String toString() {
        return Arrays.toString(free);
    }
}
