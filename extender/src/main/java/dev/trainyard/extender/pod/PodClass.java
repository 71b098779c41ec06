package dev.trainyard.extender.pod;

import dev.trainyard.core.gpu.GpuRequirement;
import dev.trainyard.extender.gpu.GpuDemand;

/**
 * The pod data that scores depend on.
 *
 * @param cpu requested CPU, in thousandths of a core
 * @param memory requested memory, in bytes
 */
public record PodClass(long cpu, long memory, GpuDemand gpus, GpuRequirement wish) {}
