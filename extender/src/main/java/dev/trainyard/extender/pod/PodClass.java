package dev.trainyard.extender.pod;

import dev.trainyard.core.gpu.GpuWish;
import dev.trainyard.extender.gpu.GpuDemand;

/**
 * Pods that are the same to whoever scores nodes.
 *
 * @param cpu thousandths of a core
 * @param memory bytes
 */
public record PodClass(long cpu, long memory, GpuDemand gpus, GpuWish wish) {}
