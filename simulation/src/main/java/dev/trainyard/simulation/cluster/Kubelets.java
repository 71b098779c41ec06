package dev.trainyard.simulation.cluster;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.kwok.SimulatedNodes;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.simulation.api.Lag;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Taint;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The kubelets of all machines, the node lifecycle controller, the cloud's node controller and the pod garbage collector. The node of a
 * machine has the labels, taints and resources that its pool promises. The node shows GPUs as soon as the driver is up.
 */
final class Kubelets {

    /** The time from registration until the node is Ready. In this time, the network comes up. */
    private static final Duration UNTIL_READY = Duration.ofSeconds(10);
    /** The time from binding until the containers run. In this time, images are pulled. */
    private static final Duration UNTIL_RUNNING = Duration.ofSeconds(3);
    /** The time a container takes to end after its {@code preStop}, unless its grace period is shorter. */
    private static final Duration UNTIL_ENDED = Duration.ofSeconds(1);
    /** The default {@code --node-monitor-grace-period} of kube-controller-manager before version 1.32. */
    private static final Duration UNTIL_MISSED = Duration.ofSeconds(40);
    /** The time from the end of a node's readiness until the cloud's node controller deletes the node, if the machine is gone. */
    private static final Duration UNTIL_NODE_IS_DELETED = Duration.ofSeconds(5);
    /** The {@code quarantineTime} of the pod garbage collector. Source: {@code pkg/controller/podgc/gc_controller.go}. */
    private static final Duration UNTIL_ORPHANS_ARE_DELETED = Duration.ofSeconds(40);

    /** The default {@code tolerationSeconds} of pods for unreachable nodes. */
    private static final Duration UNTIL_EVICTED = Duration.ofMinutes(5);

    private static final String NOT_READY = "node.kubernetes.io/not-ready";
    private static final String UNREACHABLE = "node.kubernetes.io/unreachable";

    /** What the containers of pods do. */
    @FunctionalInterface
    interface Containers {
        /** Returns how long a pod runs until it ends by itself; empty if it does not end. */
        Optional<Duration> runFor(Pod pod);

        /** Returns how long a running pod saves its state once it is terminating; zero if it saves none. */
        default Duration saveFor(Pod pod) {
            return Duration.ZERO;
        }

        /** Reports that a terminating pod has saved its state, and ends now. */
        default void saved(Pod pod) {}

        /** Reports that a pod ends now, without having saved its state. */
        default void interrupted(Pod pod) {}
    }

    private final VirtualTime time;
    private final ApiServer server;
    private final Containers containers;
    /** The names of machines whose kubelet runs. */
    private final Set<String> alive = new HashSet<>();

    /** The UIDs of pods whose containers ignore termination. */
    private final Set<String> stuck = new HashSet<>();

    Kubelets(VirtualTime time, ApiServer server, Lag lag, Containers containers) {
        this.time = time;
        this.server = server;
        this.containers = containers;
        server.pods().inform(lag).tell(new PodsSeen());
        server.nodes().inform(lag).tell(new NodesSeen());
    }

    /** Registers the node of a machine that has booted. */
    void join(Pool pool, String name, String providerId, Duration driver) {
        alive.add(name);
        if (server.nodes().get(name).isPresent()) {
            return;
        }
        boolean complete = driver.isZero();
        var node = new NodeBuilder(SimulatedNodes.node(pool, name, providerId, complete))
                .editStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus("False")
                .withReason("KubeletNotReady")
                .withLastTransitionTime(server.now())
                .endCondition()
                .endStatus()
                .editSpec()
                .addToTaints(new Taint("NoSchedule", NOT_READY, null, null))
                .endSpec()
                .build();
        server.nodes().create(node);
        time.after(UNTIL_READY, () -> whileAlive(name, () -> ready(name, true)));
        if (!complete) {
            time.after(
                    driver,
                    () -> whileAlive(
                            name,
                            () -> server.nodes()
                                    .changeIfThere(
                                            name,
                                            before -> new NodeBuilder(before)
                                                    .editStatus()
                                                    .withAllocatable(SimulatedNodes.completion(pool, name)
                                                            .getStatus()
                                                            .getAllocatable())
                                                    .withCapacity(SimulatedNodes.completion(pool, name)
                                                            .getStatus()
                                                            .getCapacity())
                                                    .endStatus()
                                                    .build())));
        }
    }

    /**
     * Stops the kubelet of a machine that is gone or hangs.
     *
     * @param isGone whether the machine is gone; if so, the cloud's node controller deletes the node
     */
    void stop(String name, boolean isGone) {
        if (alive.remove(name)) {
            time.after(
                    UNTIL_MISSED,
                    () -> unlessAlive(name, () -> {
                        ready(name, false);
                        time.after(UNTIL_EVICTED, () -> evictFrom(name));
                    }));
        }
        if (isGone) {
            time.after(
                    UNTIL_MISSED.plus(UNTIL_NODE_IS_DELETED),
                    () -> unlessAlive(name, () -> server.nodes().remove(name)));
        }
    }

    /** Makes the containers of a pod ignore termination. The containers end with the machine. */
    void stick(Pod pod) {
        stuck.add(pod.getMetadata().getUid());
    }

    boolean lives(String machine) {
        return alive.contains(machine);
    }

    /** Evicts the pods of an unreachable node, as taint-based eviction does. The pods stay terminating, because no kubelet ends them. */
    private void evictFrom(String name) {
        if (!alive.contains(name)) {
            for (var pod : List.copyOf(server.pods().all())) {
                if (Pods.node(pod).filter(name::equals).isPresent() && !Pods.leaves(pod) && !Pods.ended(pod)) {
                    server.pods()
                            .change(
                                    ObjectStore.key(pod),
                                    null,
                                    before -> Pods.leaving(before, time.instant(), Pods.grace(before)));
                }
            }
        }
    }

    private void whileAlive(String machine, Runnable what) {
        if (alive.contains(machine)) {
            what.run();
        }
    }

    private void unlessAlive(String machine, Runnable what) {
        if (!alive.contains(machine)) {
            what.run();
        }
    }

    private void ready(String name, boolean is) {
        server.nodes().changeIfThere(name, before -> {
            var taints = new ArrayList<>(
                    Optional.ofNullable(before.getSpec().getTaints()).orElse(List.of()));
            taints.removeIf(
                    taint -> taint.getKey().equals(NOT_READY) || taint.getKey().equals(UNREACHABLE));
            if (!is) {
                taints.add(new Taint("NoSchedule", UNREACHABLE, null, null));
            }
            return new NodeBuilder(before)
                    .editSpec()
                    .withTaints(taints)
                    .endSpec()
                    .editStatus()
                    .editMatchingCondition(condition -> "Ready".equals(condition.getType()))
                    .withStatus(is ? "True" : "Unknown")
                    .withReason(is ? "KubeletReady" : "NodeStatusUnknown")
                    .withLastTransitionTime(server.now())
                    .endCondition()
                    .endStatus()
                    .build();
        });
    }

    private void start(String key, Pod pod) {
        whileOn(key, pod, () -> {
            server.pods().changeIfThere(key, before -> Pods.running(before, server.now()));
            containers
                    .runFor(pod)
                    .ifPresent(duration -> time.after(
                            duration,
                            () -> whileOn(
                                    key,
                                    pod,
                                    () -> server.pods()
                                            .changeIfThere(
                                                    key,
                                                    before -> Pods.ended(before, "Succeeded", null, server.now())))));
        });
    }

    /** Runs the action if the pod with this UID has not ended, is not terminating, and is on a machine with a running kubelet. */
    private void whileOn(String key, Pod pod, Runnable what) {
        var now = server.pods().get(key);
        if (now.isPresent()
                && now.get().getMetadata().getUid().equals(pod.getMetadata().getUid())
                && !Pods.leaves(now.get())
                && !Pods.ended(now.get())
                && Pods.node(now.get()).filter(alive::contains).isPresent()) {
            what.run();
        }
    }

    private void end(String key, Pod pod) {
        var by = Instant.parse(pod.getMetadata().getDeletionTimestamp());
        var left = Duration.between(time.instant(), by);
        var saving = "Running".equals(pod.getStatus().getPhase()) ? containers.saveFor(pod) : Duration.ZERO;
        var takes = Pods.preStop(pod).plus(saving.compareTo(UNTIL_ENDED) < 0 ? UNTIL_ENDED : saving);
        var wait = left.compareTo(takes) < 0 ? left : takes;
        boolean saves =
                !saving.isZero() && takes.toSeconds() <= pod.getMetadata().getDeletionGracePeriodSeconds();
        time.after(wait.isNegative() ? Duration.ZERO : wait, () -> {
            var now = server.pods().get(key);
            boolean same = now.filter(found -> found.getMetadata()
                            .getUid()
                            .equals(pod.getMetadata().getUid()))
                    .isPresent();
            boolean ends = !stuck.contains(pod.getMetadata().getUid());
            if (same && ends && Pods.node(pod).filter(alive::contains).isPresent()) {
                if (saves) {
                    containers.saved(pod);
                } else {
                    containers.interrupted(pod);
                }
                server.pods().remove(key);
            }
        });
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void added(Pod pod) {
            if (Pods.node(pod).isPresent() && !Pods.ended(pod)) {
                begin(pod);
            }
        }

        @Override
        public void changed(Pod before, Pod after) {
            if (Pods.node(before).isEmpty() && Pods.node(after).isPresent()) {
                begin(after);
            }
            if (!Pods.leaves(before) && Pods.leaves(after)) {
                if (Pods.node(after).isPresent()) {
                    end(ObjectStore.key(after), after);
                } else {
                    server.pods().remove(ObjectStore.key(after));
                }
            }
        }

        private void begin(Pod pod) {
            time.after(UNTIL_RUNNING, () -> start(ObjectStore.key(pod), pod));
        }
    }

    private final class NodesSeen implements Watch<Node> {
        @Override
        public void removed(Node last) {
            var name = last.getMetadata().getName();
            time.after(UNTIL_ORPHANS_ARE_DELETED, () -> {
                if (server.nodes().get(name).isEmpty()) {
                    for (var pod : List.copyOf(server.pods().all())) {
                        if (Pods.node(pod).filter(name::equals).isPresent()) {
                            server.pods()
                                    .changeIfThere(
                                            ObjectStore.key(pod),
                                            before -> Pods.disrupted(before, "DeletionByPodGC", server.now()));
                            server.pods().remove(ObjectStore.key(pod));
                        }
                    }
                }
            });
        }
    }
}
