package dev.trainyard.extender.nudge;

import dev.trainyard.core.gpu.GpuRequirement;
import dev.trainyard.extender.pod.PodFacts;
import org.jspecify.annotations.Nullable;

/** The pod data that the filter uses. Ten thousand pods have a few different kinds, and all pods of one kind are judged at once. */
record PodKind(
        @Nullable String tier, GpuRequirement wish, boolean requestsGpus, boolean wantsGpus, boolean namesItsNode) {

    static PodKind of(PodFacts pod) {
        return new PodKind(
                pod.shape().tier(),
                pod.shape().wish(),
                pod.shape().gpus() > 0,
                !pod.gpus().isNone(),
                pod.shape().namesItsNode());
    }
}
