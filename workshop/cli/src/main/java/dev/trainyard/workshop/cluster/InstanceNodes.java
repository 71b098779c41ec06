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
 * Makes nodes of an emulated cloud's machines, as their kubelets and the cloud's controller manager would: a node joins when its machine has
 * booted, is initialized, shows its devices when their driver is up, and goes when the machine is gone. kwok plays it meanwhile. It has the
 * labels of its cloud and those that the pool promises, and none of Trainyard's.
 */
final class InstanceNodes implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(InstanceNodes.class);
    /** The kubelet of a cluster with an external cloud provider registers with this taint. */
    private static final String UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

    private static final Duration TICK = Duration.ofMillis(200);

    private final KubernetesClient client;
    private final CloudEmulator cloud;
    private final Map<String, Registration> registrations;
    private final Clock clock;
    /** Nodes that were made here and whose machines there are, by name. For the ticker alone. */
    private final Map<String, Joined> joined = new HashMap<>();

    private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor(task -> {
        var thread = new Thread(task, "instance-nodes");
        thread.setDaemon(true);
        return thread;
    });

    private record Joined(Instant at, boolean initialized, boolean complete) {}

    /** @param registrations by group; machines of other groups never join */
    InstanceNodes(KubernetesClient client, CloudEmulator cloud, Map<String, Registration> registrations, Clock clock) {
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
            log.warn("nodes are late: {}", e.getMessage());
        }
    }

    /** A node that cannot be made now keeps no other waiting. */
    private static void attempt(String node, Runnable step) {
        try {
            step.run();
        } catch (KubernetesClientException e) {
            log.warn("node {} is late: {}", node, e.getMessage());
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

    private void join(EmulatedMachine machine, Registration registration, Instant now) {
        boolean complete = registration.driver().isZero();
        try {
            var node = SimulatedNodes.node(registration.pool(), machine.name(), machine.providerId(), complete);
            CloudLabels.of(machine, registration.pool())
                    .ofKubelet()
                    .forEach(node.getMetadata().getLabels()::putIfAbsent);
            node.getSpec().getTaints().add(new Taint("NoSchedule", UNINITIALIZED, null, "true"));
            client.resource(node).create();
        } catch (KubernetesClientException e) {
            // The answer to an earlier attempt was lost, and the node is there.
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw e;
            }
        }
        joined.put(machine.name(), new Joined(now, false, complete));
    }

    /** What the cloud's controller manager does with a new node. */
    private void initialize(EmulatedMachine machine, Registration registration) {
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

    private void complete(EmulatedMachine machine, Registration registration) {
        try {
            client.nodes()
                    .withName(machine.name())
                    .subresource("status")
                    .patch(
                            PatchContext.of(PatchType.JSON_MERGE),
                            SimulatedNodes.completion(registration.pool(), machine.name()));
        } catch (KubernetesClientException e) {
            // Somebody deleted the node: its kubelet would not bring it back either.
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
        }
    }
}
