package dev.trainyard.bench.process;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The steps that prepare a cluster for a benchmark. */
public record ClusterPreparation(KubernetesClient client) {

    /** Creates or changes the objects in {@code yaml}. */
    public void apply(String yaml) {
        client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
                .serverSideApply();
    }

    /** Creates a namespace, and waits for its default ServiceAccount, which pods need. */
    public void createNamespace(String name, Duration timeout) {
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
        client.serviceAccounts()
                .inNamespace(name)
                .withName("default")
                .waitUntilCondition(Objects::nonNull, timeout.toSeconds(), TimeUnit.SECONDS);
    }

    /** Whether the node is Ready, and the node lifecycle controller has removed its taints. */
    public static boolean isUsable(Node node) {
        return node.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Ready")
                                && condition.getStatus().equals("True"))
                && node.getSpec().getTaints().stream()
                        .noneMatch(taint -> taint.getKey().startsWith("node.kubernetes.io/"));
    }

    /**
     * Waits until a condition holds.
     *
     * @param what the condition, for the message of a timeout
     * @param pause the time between two looks
     * @throws BenchException if the condition does not hold in time, or the thread is interrupted
     */
    public static void await(String what, Duration timeout, Duration pause, BooleanSupplier condition) {
        long start = System.nanoTime();
        try {
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - start > timeout.toNanos()) {
                    throw new BenchException("timeout: waited %d s for %s".formatted(timeout.toSeconds(), what));
                }
                TimeUnit.NANOSECONDS.sleep(pause.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }
}
