package dev.trainyard.simulation.cluster;

import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.extender.gpu.GpuDemand;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.simulation.api.Edited;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A resource that lets pods share GPUs: thousandths of a GPU. A machine offers the thousandths of all its GPUs together. If a pod's
 * annotations state a share of a GPU, thousandths replace the GPU in the pod's request. The replacement happens after the webhook's
 * decision, so the webhook still sees a request for a GPU.
 */
public final class GpuShares {

    private static final String THOUSANDTHS = "simulation/gpu-thousandths";

    private GpuShares() {}

    /** Returns copies of the pools whose machines also offer thousandths of GPUs. */
    public static List<TrainingPool> offeredBy(List<TrainingPool> pools) {
        return pools.stream().map(GpuShares::offering).toList();
    }

    private static TrainingPool offering(TrainingPool pool) {
        return Edited.of(pool, TrainingPool.class, tree -> {
            var gpus = tree.at("/spec/promise/allocatable/nvidia.com~1gpu");
            if (!gpus.isMissingNode()) {
                var offered = Resources.parse(
                        "spec.promise.allocatable", Map.of(ResourceNames.GPU, new Quantity(gpus.asText())));
                tree.withObject("/spec/promise/allocatable")
                        .put(
                                THOUSANDTHS,
                                Long.toString(offered.times(GpuDemand.WHOLE).gpus()));
            }
        });
    }

    static boolean areOfferedBy(Collection<TrainingPool> pools) {
        return pools.stream()
                .map(pool -> pool.getSpec().promise())
                .anyMatch(promise -> promise != null
                        && promise.allocatable() != null
                        && promise.allocatable().containsKey(THOUSANDTHS));
    }

    /** Returns the GPUs that a pod uses while it runs, in thousandths. */
    static long usedBy(Pod pod) {
        return pod.getSpec().getContainers().stream()
                .flatMap(container -> Stream.ofNullable(container.getResources()))
                .flatMap(resources -> Stream.ofNullable(resources.getRequests()))
                .flatMap(requests -> Stream.ofNullable(requests.get(THOUSANDTHS)))
                .mapToLong(quantity -> Long.parseLong(quantity.getAmount()))
                .findFirst()
                .orElseGet(() -> GpuDemand.WHOLE * PodReader.shapeOf(pod).gpus());
    }

    /** Adds thousandths of GPUs to a pod's request. The thousandths replace a shared GPU, but whole GPUs stay in the request. */
    static void ask(Pod pod) {
        var annotations =
                Optional.ofNullable(pod.getMetadata().getAnnotations()).orElse(Map.of());
        long thousandths =
                GpuDemand.of(PodReader.shapeOf(pod).gpus(), annotations).total();
        if (thousandths == 0) {
            return;
        }
        boolean isShare = thousandths < GpuDemand.WHOLE;
        for (var container : pod.getSpec().getContainers()) {
            if (asksForGpus(container)) {
                var resources = container.getResources();
                resources.setLimits(changed(resources.getLimits(), isShare, thousandths));
                resources.setRequests(changed(resources.getRequests(), isShare, thousandths));
                return; // one container requests the thousandths for the whole pod
            }
        }
    }

    private static boolean asksForGpus(Container container) {
        var resources = container.getResources();
        return resources != null
                && resources.getLimits() != null
                && resources.getLimits().containsKey(ResourceNames.GPU);
    }

    private static Map<String, Quantity> changed(Map<String, Quantity> amounts, boolean isShare, long thousandths) {
        var changed = new HashMap<>(amounts == null ? Map.of() : amounts);
        changed.put(THOUSANDTHS, new Quantity(Long.toString(thousandths)));
        if (isShare) {
            changed.remove(ResourceNames.GPU);
        }
        return changed;
    }
}
