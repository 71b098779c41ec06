package dev.trainyard.cli.yard;

import dev.trainyard.emulator.CloudEmulator;
import dev.trainyard.emulator.EmulatedMachine;
import dev.trainyard.scaler.kwok.SimulatedNodes;
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
 * booted, shows its devices when their driver is up, and goes when the machine is gone. kwok plays it meanwhile.
 */
final class InstanceNodes implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(InstanceNodes.class);
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

    private record Joined(Instant at, boolean complete) {}

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
        } else if (node != null && !node.complete() && !now.isBefore(node.at().plus(registration.driver()))) {
            complete(machine, registration);
            joined.put(machine.name(), new Joined(node.at(), true));
        }
    }

    private void join(EmulatedMachine machine, Registration registration, Instant now) {
        boolean complete = registration.driver().isZero();
        try {
            client.resource(SimulatedNodes.node(registration.pool(), machine.name(), machine.providerId(), complete))
                    .create();
        } catch (KubernetesClientException e) {
            // The answer to an earlier attempt was lost, and the node is there.
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw e;
            }
        }
        joined.put(machine.name(), new Joined(now, complete));
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
