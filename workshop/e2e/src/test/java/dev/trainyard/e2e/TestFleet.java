package dev.trainyard.e2e;

import dev.trainyard.local.ControlPlane;
import dev.trainyard.workshop.cluster.Kubectl;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Pools, tiers, nodes and pods of one test, with queries about the pods. The pods run on the test's own nodes only. Closing removes all
 * these objects.
 */
final class TestFleet implements AutoCloseable {

    private static final int SECONDS = 60;

    private final KubernetesClient client;
    private final Kubectl kubectl;
    private final String namespace;
    private final List<HasMetadata> made = new ArrayList<>();

    TestFleet(ControlPlane controlPlane, KubernetesClient client, Namespace namespace) {
        this.client = client;
        this.kubectl = new Kubectl(controlPlane, Path.of("."));
        this.namespace = namespace.getMetadata().getName();
    }

    String namespace() {
        return namespace;
    }

    /** Creates a pool whose nodes promise the given number of GPUs. */
    void pool(String name, int gpus) {
        pool(name, gpus, Map.of());
    }

    /** @param labels labels that the pool promises for its nodes */
    void pool(String name, int gpus, Map<String, String> labels) {
        var promised = labels.entrySet().stream()
                .map(label -> "%s: \"%s\"".formatted(label.getKey(), label.getValue()))
                .collect(Collectors.joining(", "));
        make("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingPool
                metadata: {name: %s}
                spec:
                  provider: {kwok: {}}
                  capacityType: spot
                  promise:
                    allocatable: {cpu: "24", memory: 448Gi, nvidia.com/gpu: "%d"}
                    labels: {%s}
                """.formatted(name, gpus, promised));
    }

    void tier(String name, String... pools) {
        tier(name, List.of(pools));
    }

    void tier(String name, List<String> pools) {
        make("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: %s}
                spec: {pools: [%s]}
                """.formatted(name, String.join(", ", pools)));
    }

    void priorityClass(String name, int value) {
        make("""
                apiVersion: scheduling.k8s.io/v1
                kind: PriorityClass
                metadata: {name: %s}
                value: %d
                """.formatted(name, value));
    }

    /** Creates a node without a pool. */
    void node(String name, int gpus) {
        node(name, gpus, Map.of());
    }

    void node(String name, String pool, int gpus) {
        node(name, gpus, Map.of("trainyard.dev/pool", pool));
    }

    /** Creates a node, and returns when it accepts pods. */
    void node(String name, int gpus, Map<String, String> labels) {
        var allocatable = new HashMap<>(Map.of(
                "cpu", new Quantity("24"),
                "memory", new Quantity("448Gi"),
                "pods", new Quantity("110")));
        if (gpus > 0) {
            allocatable.put("nvidia.com/gpu", new Quantity(Integer.toString(gpus)));
        }
        add(new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels(namespace, "true")
                .addToLabels(labels)
                .endMetadata()
                .withNewStatus()
                .withAllocatable(allocatable)
                .endStatus()
                .build());
        client.nodes().withName(name).waitUntilCondition(TestFleet::isUsable, SECONDS, TimeUnit.SECONDS);
    }

    void label(String node, String label, String value) {
        edit(
                node,
                found -> new NodeBuilder(found)
                        .editMetadata()
                        .addToLabels(label, value)
                        .endMetadata()
                        .build());
    }

    void edit(String node, UnaryOperator<Node> change) {
        client.nodes().withName(node).edit(change);
    }

    /** Sets the node's GPUs, like a GPU driver that starts. */
    void reportGpus(String node, int gpus) {
        client.nodes()
                .withName(node)
                .editStatus(found -> new NodeBuilder(found)
                        .editStatus()
                        .addToAllocatable("nvidia.com/gpu", new Quantity(Integer.toString(gpus)))
                        .endStatus()
                        .build());
    }

    Pod make(TestPod pod) {
        return add(pod.in(namespace, namespace));
    }

    /** @param annotation name without {@code trainyard.dev/} */
    void annotate(String pod, String annotation, String value) {
        client.pods()
                .inNamespace(namespace)
                .withName(pod)
                .edit(found -> new PodBuilder(found)
                        .editMetadata()
                        .addToAnnotations("trainyard.dev/" + annotation, value)
                        .endMetadata()
                        .build());
    }

    void delete(Pod pod) {
        client.resource(pod).withGracePeriod(0).delete();
    }

    /** Returns the current pod; null if it was deleted. */
    @Nullable
    Pod read(Pod pod) {
        return client.pods().resource(pod).get();
    }

    /** Waits for the pod's node and returns its name. */
    String nodeOf(Pod pod) {
        return client.pods()
                .resource(pod)
                .waitUntilCondition(
                        found -> found != null && found.getSpec().getNodeName() != null, SECONDS, TimeUnit.SECONDS)
                .getSpec()
                .getNodeName();
    }

    /** Waits until the pod has a node, or the message of its condition PodScheduled contains {@code message}. Returns false for a node. */
    boolean isRefused(Pod pod, String message) {
        var wanted = podScheduled(message);
        return client.pods()
                        .resource(pod)
                        .waitUntilCondition(
                                found -> found != null
                                        && (found.getSpec().getNodeName() != null
                                                || found.getStatus().getConditions().stream()
                                                        .anyMatch(wanted)),
                                SECONDS,
                                TimeUnit.SECONDS)
                        .getSpec()
                        .getNodeName()
                == null;
    }

    /** Matches the condition PodScheduled if its message contains {@code message}. */
    private static Predicate<PodCondition> podScheduled(String message) {
        return condition -> condition.getType().equals("PodScheduled")
                && condition.getMessage() != null
                && condition.getMessage().contains(message);
    }

    /** Waits until the message of the pod's condition PodScheduled contains {@code message}, and returns the condition. */
    PodCondition condition(Pod pod, String message) {
        var wanted = podScheduled(message);
        return client
                .pods()
                .resource(pod)
                .waitUntilCondition(
                        found -> found != null
                                && found.getStatus().getConditions().stream().anyMatch(wanted),
                        SECONDS,
                        TimeUnit.SECONDS)
                .getStatus()
                .getConditions()
                .stream()
                .filter(wanted)
                .findFirst()
                .orElseThrow();
    }

    /** Waits for an Event whose message contains the text. Returns the Event's line in {@code kubectl describe pod}. */
    String described(Pod pod, String message) {
        var found = new ArrayList<String>();
        TrainingGround.awaitTrue("kubectl describe pod says: " + message, () -> {
            kubectl.succeed(
                            "describe",
                            "pod",
                            "-n",
                            namespace,
                            pod.getMetadata().getName())
                    .lines()
                    .dropWhile(line -> !line.startsWith("Events:"))
                    .filter(line -> line.contains(message))
                    .forEach(found::add);
            return !found.isEmpty();
        });
        return found.get(0);
    }

    /** Returns all pods. */
    List<Pod> pods() {
        return client.pods().inNamespace(namespace).list().getItems();
    }

    long placed() {
        return pods().stream()
                .filter(pod -> pod.getSpec().getNodeName() != null)
                .count();
    }

    @Override
    public void close() {
        for (int last = made.size() - 1; last >= 0; last--) {
            client.resource(made.get(last)).withGracePeriod(0).delete();
        }
    }

    private static boolean isUsable(Node node) {
        return node != null
                && node.getSpec().getTaints().isEmpty()
                && node.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True"));
    }

    private void make(String yaml) {
        made.add(client.resource(yaml).create());
    }

    private <T extends HasMetadata> T add(T object) {
        var created = client.resource(object).create();
        made.add(created);
        return created;
    }
}
