package dev.trainyard.bench.scale;

import org.jspecify.annotations.Nullable;

/**
 * The state of a component at one time.
 *
 * @param seconds time since the first pod was created
 * @param pods number of pods created so far
 * @param residentMebibytes resident set size
 * @param heapMebibytes size of all live objects after a full garbage collection; null in samples that collect no garbage
 * @param descriptors number of open file descriptors
 * @param cpuSeconds CPU time since the start of the process
 * @param lagMillis time until the component's watch had delivered a write
 */
public record ComponentSample(
        double seconds,
        int pods,
        double residentMebibytes,
        @Nullable Double heapMebibytes,
        int threads,
        int descriptors,
        double cpuSeconds,
        double lagMillis) {}
