package dev.trainyard.extender.gpu;

import dev.trainyard.core.Names;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The GPUs that a pod takes.
 *
 * @param count number of GPUs
 * @param milli thousandths of each GPU: less than {@link #WHOLE} only for a pod that shares one GPU
 */
public record GpuDemand(int count, int milli) {

    /** The thousandths of a whole GPU. */
    public static final int WHOLE = 1000;

    public static final GpuDemand NONE = new GpuDemand(0, 0);

    /** A limit above the GPUs of any machine, which keeps sums in the range of {@code int}. */
    private static final int MOST = 1_000_000;

    /** Returns a demand for {@code count} whole GPUs. */
    public static GpuDemand whole(long count) {
        return count <= 0 ? NONE : new GpuDemand((int) Math.min(count, MOST), WHOLE);
    }

    /** Returns a demand for a part of one GPU, in thousandths. */
    public static GpuDemand share(int milli) {
        return new GpuDemand(1, milli);
    }

    /**
     * Returns the demand of a pod. If the share is invalid, the pod is treated as a pod without a share.
     *
     * @param requested number of whole GPUs that the pod's resources request. If it is more than 1, the annotation for a share is ignored
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

    /** Whether the pod takes only a part of one GPU. */
    public boolean isShare() {
        return count == 1 && milli < WHOLE;
    }

    /** Returns the sum over all GPUs, in thousandths of a GPU. */
    public int total() {
        return count * milli;
    }
}
