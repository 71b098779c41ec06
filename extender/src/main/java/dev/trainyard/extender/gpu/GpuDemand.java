package dev.trainyard.extender.gpu;

import dev.trainyard.core.Names;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a pod takes of GPUs.
 *
 * @param count on how many GPUs it runs
 * @param milli how much it takes of each, in thousandths: less than {@link #WHOLE} only for a pod that shares one GPU
 */
public record GpuDemand(int count, int milli) {

    /** Thousandths of a GPU that nobody shares. */
    public static final int WHOLE = 1000;

    public static final GpuDemand NONE = new GpuDemand(0, 0);

    /** More than any machine has; keeps sums in range. */
    private static final int MOST = 1_000_000;

    /** That many whole GPUs. */
    public static GpuDemand whole(long count) {
        return count <= 0 ? NONE : new GpuDemand((int) Math.min(count, MOST), WHOLE);
    }

    /** A part of one GPU, in thousandths. */
    public static GpuDemand share(int milli) {
        return new GpuDemand(1, milli);
    }

    /**
     * What a pod says. A share that is not a number of thousandths is ignored: nodes are only scored by it.
     *
     * @param requested whole GPUs among its resources; a pod with more than one does not share
     */
    public static GpuDemand of(long requested, Map<String, String> annotations) {
        int milli = requested > 1 ? 0 : milli(annotations.get(Names.GPU_MILLI));
        return milli == 0 ? whole(requested) : share(milli);
    }

    private static int milli(@Nullable String text) {
        boolean plausible = text != null
                && !text.isEmpty()
                && text.length() <= 4
                && text.chars().allMatch(digit -> digit >= '0' && digit <= '9');
        int milli = plausible ? Integer.parseInt(text) : 0;
        return milli <= WHOLE ? milli : 0;
    }

    public boolean isNone() {
        return count == 0;
    }

    /** Whether it takes a part of one GPU only. */
    public boolean isShare() {
        return count == 1 && milli < WHOLE;
    }

    /** All that it takes, in thousandths of a GPU. */
    public int total() {
        return count * milli;
    }
}
