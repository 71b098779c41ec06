package dev.trainyard.workshop.cluster;

import dev.trainyard.emulator.CloudEmulator;
import dev.trainyard.emulator.EmulatedMachine;
import dev.trainyard.scaler.kwok.SimulatedNodes;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A simulation of the kubelets and the cloud's controller manager for an emulated cloud's machines. A node joins the cluster after its
 * machine has booted. The node is then initialized, and reports its devices once their driver has started. The node is deleted after its
 * machine is gone. In between, kwok reports the node Ready and runs its pods. A node has the labels of its cloud and those that the pool
 * promises, but none of Trainyard's own labels.
 */
final class InstanceNodes implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(InstanceNodes.class);
    /** The taint with which kubelets register in a cluster with an external cloud provider. */
    private static final String UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

    private static final Duration TICK = Duration.ofMillis(200);

    private final KubernetesClient client;
    private final CloudEmulator cloud;
    private final Map<String, WebhookRegistration> registrations;
    private final Clock clock;
    /** The nodes that this object created and whose machines exist, by name. Used only by the ticker's thread. */
    private final Map<String, Joined> joined = new HashMap<>();

    private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor(task -> {
        var thread = new Thread(task, "instance-nodes");
        thread.setDaemon(true);
        return thread;
    });

    private record Joined(Instant at, boolean initialized, boolean complete) {}

    /**
     * @param registrations the settings with which machines become nodes, by the name of the machines' group; machines of other groups
     *     never join
     */
    InstanceNodes(
            KubernetesClient client, CloudEmulator cloud, Map<String, WebhookRegistration> registrations, Clock clock) {
        this.client = client;
        this.cloud = cloud;
        this.registrations = Map.copyOf(registrations);
        this.clock = clock;
    }

    void start() {
        var unused = ticker.scheduleWithFixedDelay(this::tick, TICK.toMillis(), TICK.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        ticker.shutdownNow();
    }

    void tick() {
        try {
            var machines = cloud.machines().stream()
                    .collect(Collectors.toMap(EmulatedMachine::name, machine -> machine, (a, b) -> b));
            for (var machine : machines.values()) {
                attempt(machine.name(), () -> advance(machine));
            }
            for (var node : Map.copyOf(joined).keySet()) {
                if (!machines.containsKey(node)) {
                    attempt(node, () -> {
                        client.nodes().withName(node).delete();
                        joined.remove(node);
                    });
                }
            }
        } catch (RuntimeException e) {
            log.warn("cannot create, update or delete nodes; the next tick tries again: {}", e.getMessage());
        }
    }

    /** Runs a step for one node. A failure does not affect other nodes. */
    private static void attempt(String node, Runnable step) {
        try {
            step.run();
        } catch (KubernetesClientException e) {
            log.warn("cannot create, update or delete node {}; the next tick tries again: {}", node, e.getMessage());
        }
    }

    private void advance(EmulatedMachine machine) {
        var registration = registrations.get(machine.group());
        var now = clock.instant();
        var node = joined.get(machine.name());
        if (registration == null) {
            return;
        }
        if (node == null && !now.isBefore(machine.launched().plus(registration.boot()))) {
            join(machine, registration, now);
        } else if (node != null && !node.initialized()) {
            initialize(machine, registration);
            joined.put(machine.name(), new Joined(node.at(), true, node.complete()));
        } else if (node != null && !node.complete() && !now.isBefore(node.at().plus(registration.driver()))) {
            complete(machine, registration);
            joined.put(machine.name(), new Joined(node.at(), true, true));
        }
    }

    private void join(EmulatedMachine machine, WebhookRegistration registration, Instant now) {
        boolean complete = registration.driver().isZero();
        try {
            var node = SimulatedNodes.node(registration.pool(), machine.name(), machine.providerId(), complete);
            CloudLabels.of(machine, registration.pool())
                    .ofKubelet()
                    .forEach(node.getMetadata().getLabels()::putIfAbsent);
            node.getSpec().getTaints().add(new Taint("NoSchedule", UNINITIALIZED, null, "true"));
            client.resource(node).create();
        } catch (KubernetesClientException e) {
            // On a conflict, the node exists already: the response to an earlier attempt was lost.
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw e;
            }
        }
        joined.put(machine.name(), new Joined(now, false, complete));
    }

    /** Initializes a new node as the cloud's controller manager does: adds labels, and removes the taint. */
    private void initialize(EmulatedMachine machine, WebhookRegistration registration) {
        var labels = CloudLabels.of(machine, registration.pool()).ofController();
        try {
            client.nodes().withName(machine.name()).edit(node -> {
                labels.forEach(node.getMetadata().getLabels()::putIfAbsent);
                node.getSpec().getTaints().removeIf(taint -> taint.getKey().equals(UNINITIALIZED));
                return node;
            });
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
        }
    }

    private void complete(EmulatedMachine machine, WebhookRegistration registration) {
        try {
            client.nodes()
                    .withName(machine.name())
                    .subresource("status")
                    .patch(
                            PatchContext.of(PatchType.JSON_MERGE),
                            SimulatedNodes.completion(registration.pool(), machine.name()));
        } catch (KubernetesClientException e) {
            // The node was deleted; a real kubelet would not create it again either.
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
        }
    }
}
