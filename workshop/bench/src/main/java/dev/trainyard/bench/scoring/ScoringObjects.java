package dev.trainyard.bench.scoring;

import dev.trainyard.bench.scoring.trace.TraceNode;
import dev.trainyard.bench.scoring.trace.TraceShape;
import dev.trainyard.core.Names;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.resource.ResourceNames;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A converter of a trace's machines and pods to API objects. A pod that shares a GPU requests no GPU from the scheduler, as with a sharing
 * device plugin. An annotation of the pod states the share.
 */
final class ScoringObjects {

    private static final String PODS = "1000";

    private ScoringObjects() {}

    static Node node(TraceNode machine) {
        var allocatable = new HashMap<String, Quantity>();
        allocatable.put(ResourceNames.CPU, new Quantity(machine.cpuMilli() + "m"));
        allocatable.put(ResourceNames.MEMORY, new Quantity(machine.memoryMib() + "Mi"));
        allocatable.put("pods", new Quantity(PODS));
        var labels = new HashMap<String, String>();
        labels.put("kubernetes.io/hostname", machine.name());
        if (machine.gpus() > 0) {
            allocatable.put(ResourceNames.GPU, new Quantity(Integer.toString(machine.gpus())));
            labels.put(GpuKind.PRODUCT_LABEL, machine.model());
        }
        return new NodeBuilder()
                .withNewMetadata()
                .withName(machine.name())
                .withUid("node-" + machine.name())
                .withResourceVersion("1")
                .withLabels(labels)
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .withNewStatus()
                .withAllocatable(allocatable)
                .withCapacity(allocatable)
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
    }

    /** Returns a pending pod. */
    static Pod waiting(int number, TraceShape shape) {
        var resources = new HashMap<String, Quantity>();
        resources.put(ResourceNames.CPU, new Quantity(shape.cpuMilli() + "m"));
        resources.put(ResourceNames.MEMORY, new Quantity(shape.memoryMib() + "Mi"));
        Map<String, Quantity> limits = Map.of();
        var annotations = new HashMap<String, String>();
        if (shape.isShare()) {
            annotations.put(Names.GPU_MILLI, Integer.toString(shape.gpuMilli()));
        } else if (shape.gpus() > 0) {
            limits = Map.of(ResourceNames.GPU, new Quantity(Integer.toString(shape.gpus())));
            resources.putAll(limits);
        }
        if (!shape.models().isEmpty() && shape.gpus() > 0) {
            annotations.put(Names.GPU_PRODUCT, String.join("|", shape.models()));
        }
        return new PodBuilder()
                .withApiVersion("v1")
                .withKind("Pod")
                .withNewMetadata()
                .withName("pod-" + number)
                .withNamespace("training")
                .withUid("00000000-0000-4000-8000-%012d".formatted(number))
                .withResourceVersion(Integer.toString(2 * number + 2))
                .withAnnotations(annotations)
                .endMetadata()
                .withNewSpec()
                .withSchedulerName(Names.SCHEDULER)
                .addNewContainer()
                .withName("main")
                .withImage("registry.example/training:1")
                .withNewResources()
                .withRequests(resources)
                .withLimits(limits)
                .endResources()
                .endContainer()
                .endSpec()
                .withNewStatus()
                .withPhase("Pending")
                .endStatus()
                .build();
    }

    /** Returns the pod bound to a machine, with an annotation of its devices. */
    static Pod bound(Pod waiting, int number, String node, int[] devices) {
        var editing = new PodBuilder(waiting).editMetadata().withResourceVersion(Integer.toString(2 * number + 3));
        if (devices.length > 0) {
            editing.addToAnnotations(
                    Names.GPU_INDEX,
                    Arrays.stream(devices).mapToObj(Integer::toString).collect(Collectors.joining(",")));
        }
        return editing.endMetadata().editSpec().withNodeName(node).endSpec().build();
    }
}
