package dev.trainyard.extender.gpu;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The free thousandths of each GPU of a node, the fullest GPU first. The indexes of the GPUs are not stored, because they do not matter for
 * the choice of a node. Immutable.
 *
 * <p>An annotation may state which GPUs a pod got. For other pods, this class assumes a device plugin that packs: a share goes to the GPU
 * that has the least left afterwards, and a request for whole GPUs gets unused GPUs.
 */
public final class GpuRoom {

    public static final GpuRoom NONE = new GpuRoom(new int[0]);

    /** The limit of GPUs on a node, more than any machine has. Needed because a node may report any number. */
    private static final int MOST = 128;

    /**
     * The GPUs that a pod on the node takes.
     *
     * @param indexes indexes of the GPUs that the pod got; empty if unknown
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

    /** Returns the room of a node with {@code gpus} GPUs. An overcommitted GPU counts as full. */
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

    /** Returns a room with one GPU for each argument. The argument is the free thousandths of the GPU. */
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

    /** Takes a demand from the GPUs that have the least left afterwards. If no GPU has enough, the emptiest GPU becomes full. */
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

    /** Returns the room that {@code demand} leaves; null if the demand does not fit. */
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

    /** Returns the number of GPUs that have at least {@code milli} thousandths left. */
    public int countWith(int milli) {
        return free.length - firstWith(milli);
    }

    /**
     * Copies the free thousandths of the GPUs that are partly in use, the fullest first.
     *
     * @param least the least number of free thousandths; GPUs with fewer are not copied
     * @param into the array to copy into, with a place for each GPU
     * @return number of copied GPUs
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

    /** Returns the sum of all free thousandths. */
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

    /** Returns the free thousandths of each GPU. */
    @Override
    public String toString() {
        return Arrays.toString(free);
    }
}
