package dev.trainyard.core.resource;

/** Numbers of GPUs, for people. */
public final class GpuWords {

    private GpuWords() {}

    /** {@code 1 GPU}, {@code 2 GPUs}. */
    public static String of(long gpus) {
        return gpus == 1 ? "1 GPU" : gpus + " GPUs";
    }
}
