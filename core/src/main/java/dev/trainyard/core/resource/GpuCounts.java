package dev.trainyard.core.resource;

/** A formatter of GPU counts for messages. */
public final class GpuCounts {

    private GpuCounts() {}

    /** Formats a count: {@code 1 GPU}, {@code 2 GPUs}. */
    public static String of(long gpus) {
        return gpus == 1 ? "1 GPU" : gpus + " GPUs";
    }
}
