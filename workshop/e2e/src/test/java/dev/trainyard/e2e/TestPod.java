package dev.trainyard.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A builder of a pod with one container that requests a tenth of a CPU. */
final class TestPod {

    private final String name;
    private final Map<String, String> annotations = new TreeMap<>();
    private final Map<String, Quantity> requests = new TreeMap<>(Map.of("cpu", new Quantity("100m")));
    private @Nullable String priorityClass;

    private TestPod(String name) {
        this.name = name;
    }

    static TestPod named(String name) {
        return new TestPod(name);
    }

    TestPod gpus(int gpus) {
        if (gpus > 0) {
            requests.put("nvidia.com/gpu", new Quantity(Integer.toString(gpus)));
        }
        return this;
    }

    TestPod tier(String tier) {
        return annotated("tier", tier);
    }

    /** @param annotation name without {@code trainyard.dev/} */
    TestPod annotated(String annotation, String value) {
        annotations.put("trainyard.dev/" + annotation, value);
        return this;
    }

    TestPod priority(@Nullable String priorityClass) {
        this.priorityClass = priorityClass;
        return this;
    }

    /** @param nodes name of a label; the pod may use only nodes whose label has the value {@code true} */
    Pod in(String namespace, String nodes) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .withAnnotations(annotations)
                .endMetadata()
                .withNewSpec()
                .withSchedulerName("trainyard-scheduler")
                .withPriorityClassName(priorityClass)
                .addToNodeSelector(nodes, "true")
                .addNewContainer()
                .withName("main")
                .withImage("tensorflow")
                .withNewResources()
                .withRequests(requests)
                .withLimits(requests)
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }
}
