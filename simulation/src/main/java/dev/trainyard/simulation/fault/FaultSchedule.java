package dev.trainyard.simulation.fault;

import dev.trainyard.core.Names;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.scaler.observe.ScalerAnnotations;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.Replica;
import dev.trainyard.simulation.cluster.World;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Taint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The faults that occur at random times, independent of requests. */
public final class FaultSchedule {

    private final World world;
    private final FaultInjector injector;
    private final ActivityLog log;
    private final MalformedObjects malformed;
    private final AnnouncedReclaims announced;

    private FaultSchedule(World world, FaultInjector injector, ActivityLog log) {
        this.world = world;
        this.injector = injector;
        this.log = log;
        this.malformed = new MalformedObjects(world, injector.of(Fault.MALFORMED), log);
        this.announced = new AnnouncedReclaims(world, injector, log);
    }

    /**
     * Schedules all faults until {@code until}. At that time, operators' cordons and marks, malformed objects, foreign nodes and signs
     * of notices are removed.
     */
    public static void plan(World world, FaultInjector injector, ActivityLog log, Duration until) {
        var schedule = new FaultSchedule(world, injector, log);
        schedule.every(Fault.STOCK, Duration.ofMinutes(20), schedule::drought);
        schedule.every(Fault.WATCH, Duration.ofMinutes(6), schedule::loseAWatch);
        schedule.every(Fault.KILL, Duration.ofMinutes(20), schedule::kill);
        schedule.every(Fault.FREEZE, Duration.ofMinutes(20), schedule::cutOff);
        schedule.every(Fault.CLOCK, Duration.ofMinutes(20), schedule::setTheClock);
        schedule.every(Fault.OPERATOR, Duration.ofMinutes(5), schedule::operate);
        world.server().nodes().inform(() -> Duration.ZERO).tell(schedule.new CancelledRemovals());
        world.server().pods().inform(() -> Duration.ZERO).tell(schedule.new LostPodWatches());
        world.server().nodes().inform(() -> Duration.ZERO).tell(new ChangeFreezes(world, injector, log));
        schedule.every(Fault.MALFORMED, Duration.ofMinutes(10), schedule.malformed::make);
        schedule.every(Fault.SPOT_STORM, Duration.ofMinutes(30), schedule::storm);
        schedule.every(Fault.HANG, Duration.ofMinutes(15), schedule::hang);
        schedule.every(Fault.STUCK_POD, Duration.ofMinutes(15), schedule::stick);
        schedule.every(Fault.LOST_GPU, Duration.ofMinutes(15), schedule::loseAGpu);
        schedule.every(Fault.SICK, Duration.ofMinutes(15), schedule::breakAMachine);
        world.server().nodes().inform(() -> Duration.ZERO).tell(schedule.new LateAgents());
        var foreign = new ForeignNodes(world, injector, log);
        schedule.every(Fault.FOREIGN_NODE, Duration.ofMinutes(20), foreign::join);
        schedule.every(Fault.NO_NODE, Duration.ofMinutes(4), foreign::joinInstead);
        world.time().at(until.toNanos(), foreign::leaveAll);
        schedule.every(Fault.SLOW_DELIVERY, Duration.ofMinutes(20), schedule::slowDown);
        var drains = new OperatorDrains(world, injector, log);
        schedule.every(Fault.DRAIN, Duration.ofMinutes(15), drains::drainOne);
        world.server().nodes().inform(() -> Duration.ZERO).tell(drains);
        schedule.every(Fault.NOTICE, Duration.ofMinutes(5), schedule.announced::announceOne);
        schedule.every(Fault.NOTICE_STORM, Duration.ofMinutes(30), schedule.announced::announceAll);
        schedule.every(Fault.RECOMMENDATION, Duration.ofMinutes(10), schedule.announced::recommend);
        world.time().at(until.toNanos(), schedule::end);
    }

    private void every(Fault fault, Duration mean, Runnable what) {
        world.time().after(injector.of(fault).until(mean), () -> {
            if (injector.has(fault)) {
                what.run();
                every(fault, mean, what);
            }
        });
    }

    private void end() {
        injector.end();
        malformed.remove();
        announced.withdrawAll();
        for (var node : List.copyOf(world.server().nodes().all())) {
            if (NodeFacts.isCordoned(node)) {
                cordon(node, false);
            }
            unmark(node);
        }
    }

    private void drought() {
        any(Fault.STOCK, world.server().pools().all())
                .ifPresent(pool -> injector.drought(
                        pool.getMetadata().getName(),
                        injector.of(Fault.STOCK).between(Duration.ofMinutes(1), Duration.ofMinutes(40))));
    }

    private void slowDown() {
        var chance = injector.of(Fault.SLOW_DELIVERY);
        any(Fault.SLOW_DELIVERY, world.server().pools().all())
                .ifPresent(pool -> injector.slowDown(
                        pool.getMetadata().getName(),
                        chance.between(Duration.ofSeconds(20), Duration.ofMinutes(5)),
                        chance.between(Duration.ofMinutes(5), Duration.ofMinutes(40))));
    }

    private void loseAWatch() {
        var chance = injector.of(Fault.WATCH);
        var length = chance.between(Duration.ofSeconds(1), Duration.ofSeconds(45));
        for (var replica : world.replicas()) {
            replica.watched().ifPresent(watched -> {
                switch (chance.number(3)) {
                    case 0 -> watched.pods().lose(length);
                    case 1 -> watched.nodes().lose(length);
                    default -> watched.pools().lose(length);
                }
                log.note("%s loses a watch for %d s".formatted(replica.identity(), length.toSeconds()));
            });
        }
    }

    /**
     * Interruptions of the scaler's watch of pods at a critical time: a pod is created while a machine is idle, so the scaler may be about
     * to remove the machine.
     */
    private final class LostPodWatches implements Watch<Pod> {
        @Override
        public void added(Pod pod) {
            if (injector.has(Fault.WATCH)
                    && isAnyIdle()
                    && injector.of(Fault.WATCH).happens(0.15)) {
                var length = injector.of(Fault.WATCH).between(Duration.ofSeconds(10), Duration.ofSeconds(45));
                log.note("no watch reports pod %s for %d s".formatted(ObjectStore.key(pod), length.toSeconds()));
                for (var replica : world.replicas()) {
                    replica.watched().ifPresent(watched -> watched.pods().lose(length));
                }
            }
        }

        private boolean isAnyIdle() {
            return world.server().nodes().all().stream()
                    .map(node -> node.getMetadata().getAnnotations())
                    .anyMatch(annotations ->
                            annotations != null && annotations.containsKey(ScalerAnnotations.IDLE_SINCE));
        }
    }

    /** Kills a random scaler process, between rounds or while a round waits. */
    private void kill() {
        anyReplica(Fault.KILL).ifPresent(replica -> {
            log.note(replica.identity() + " dies");
            replica.kill();
        });
    }

    private void cutOff() {
        anyReplica(Fault.FREEZE).ifPresent(replica -> {
            var length = injector.of(Fault.FREEZE).between(Duration.ofSeconds(1), Duration.ofMinutes(1));
            log.note("%s cannot renew the Lease for %d s".formatted(replica.identity(), length.toSeconds()));
            replica.cutOff(length);
        });
    }

    private Optional<Replica> anyReplica(Fault fault) {
        return injector.of(fault).any(List.copyOf(world.replicas()));
    }

    private void setTheClock() {
        var chance = injector.of(Fault.CLOCK);
        var by = chance.between(Duration.ofSeconds(1), Duration.ofMinutes(90));
        by = chance.happens(0.5) ? by : by.negated();
        log.note("the wall clock is changed by %d s".formatted(by.toSeconds()));
        world.time().setWallClock(by);
        injector.clockIsSet(by);
    }

    private void operate() {
        switch (injector.of(Fault.OPERATOR).number(8)) {
            case 0 -> any(Fault.OPERATOR, world.server().nodes().all()).ifPresent(node -> cordon(node, true));
            case 1 ->
                any(Fault.OPERATOR, world.server().nodes().all())
                        .filter(NodeFacts::isCordoned)
                        .ifPresent(node -> cordon(node, false));
            case 2 ->
                any(Fault.OPERATOR, world.server().pods().all()).ifPresent(pod -> {
                    log.note("operator: deletes pod " + ObjectStore.key(pod));
                    world.evictions().delete(ObjectStore.key(pod));
                });
            case 3 ->
                anyMachine().ifPresent(machine -> {
                    log.note("operator: deletes the machine %s in the cloud".formatted(machine.name()));
                    world.removeByHand(machine.pool(), machine.name());
                });
            case 4 ->
                any(Fault.OPERATOR, world.server().pools().all()).ifPresent(pool -> {
                    int by = injector.of(Fault.OPERATOR).happens(0.5) ? 1 : -1;
                    var name = pool.getMetadata().getName();
                    log.note("operator: changes the size of pool %s in the cloud by %+d".formatted(name, by));
                    world.resizeByHand(name, by);
                    injector.sizeIsSet(name);
                });
            case 5 -> any(Fault.OPERATOR, world.server().nodes().all()).ifPresent(this::mark);
            case 6 ->
                any(
                                Fault.OPERATOR,
                                world.server().nodes().all().stream()
                                        .filter(node -> NodeFacts.mark(node).isPresent())
                                        .toList())
                        .ifPresent(this::unmark);
            default -> hang();
        }
    }

    private record Found(String pool, String name) {}

    private Optional<Found> anyMachine() {
        return any(Fault.OPERATOR, world.server().pools().all()).flatMap(pool -> {
            var name = pool.getMetadata().getName();
            return injector.of(Fault.OPERATOR)
                    .any(world.cloud().running(name))
                    .map(machine -> new Found(name, machine));
        });
    }

    private void cordon(Node node, boolean on) {
        var name = node.getMetadata().getName();
        log.note("operator: %s node %s".formatted(on ? "cordons" : "uncordons", name));
        world.cordon(name, on);
    }

    private void untaint(Node node) {
        var name = node.getMetadata().getName();
        log.note("operator: cancels the removal of node %s by removing the taint".formatted(name));
        world.server()
                .nodes()
                .changeIfThere(
                        name,
                        before -> new NodeBuilder(before)
                                .editSpec()
                                .removeMatchingFromTaints(taint -> Names.REMOVING.equals(taint.getKey()))
                                .endSpec()
                                .build());
    }

    /** Operators who notice that the scaler is removing a machine, and cancel the removal. */
    private final class CancelledRemovals implements Watch<Node> {
        @Override
        public void changed(Node before, Node after) {
            if (NodeFacts.removalStarts(before, after) && injector.has(Fault.OPERATOR)) {
                var chance = injector.of(Fault.OPERATOR);
                if (chance.happens(0.3)) {
                    world.time().after(chance.between(Duration.ofSeconds(1), Duration.ofMinutes(1)), () -> {
                        if (injector.has(Fault.OPERATOR)) {
                            untaint(after);
                        }
                    });
                }
            }
        }
    }

    private void mark(Node node) {
        var name = node.getMetadata().getName();
        var chance = injector.of(Fault.OPERATOR);
        var mark = Map.of(NodeFacts.MARKS.get(chance.number(NodeFacts.MARKS.size())), "true");
        boolean labels = chance.happens(0.5);
        log.note("operator: protects node %s from removal with the mark %s".formatted(name, mark));
        world.server()
                .nodes()
                .changeIfThere(
                        name,
                        before -> new NodeBuilder(before)
                                .editMetadata()
                                .addToLabels(labels ? mark : Map.of())
                                .addToAnnotations(labels ? Map.of() : mark)
                                .endMetadata()
                                .build());
    }

    private void unmark(Node node) {
        if (NodeFacts.mark(node).isEmpty()) {
            return;
        }
        var name = node.getMetadata().getName();
        log.note("operator: removes protective marks from node " + name);
        world.server().nodes().changeIfThere(name, before -> {
            var after = new NodeBuilder(before).editMetadata();
            for (var mark : NodeFacts.MARKS) {
                after = after.removeFromLabels(mark).removeFromAnnotations(mark);
            }
            return after.endMetadata().build();
        });
    }

    private void storm() {
        for (var pool : List.copyOf(world.server().pools().all())) {
            if (isSpot(pool)) {
                for (var machine : world.cloud().running(pool.getMetadata().getName())) {
                    log.note("spot machine %s is reclaimed".formatted(machine));
                    world.takeBack(pool.getMetadata().getName(), machine);
                }
            }
        }
    }

    private static boolean isSpot(TrainingPool pool) {
        return pool.getSpec().capacityType().toString().equals("spot");
    }

    /**
     * Makes a machine hang, if possible one that the scaler is removing. Such machines are few, and half-finished removals are the critical
     * case.
     */
    private void hang() {
        var emptied = world.server().nodes().all().stream()
                .filter(node -> NodeFacts.removal(node).isPresent())
                .map(node -> node.getMetadata().getName())
                .filter(world::lives)
                .toList();
        injector.of(Fault.HANG)
                .any(emptied)
                .or(() -> anyMachine().map(Found::name))
                .ifPresent(machine -> {
                    log.note("machine %s hangs".formatted(machine));
                    world.hang(machine);
                });
    }

    /**
     * Makes a pod ignore termination. In most cases, an operator deletes the pod at once. Other pods may be evicted when their machine is
     * drained.
     */
    private void stick() {
        var running = world.server().pods().all().stream()
                .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
                .toList();
        any(Fault.STUCK_POD, running).ifPresent(pod -> {
            log.note("pod %s ignores termination from now on".formatted(ObjectStore.key(pod)));
            world.stick(pod);
            if (injector.of(Fault.STUCK_POD).happens(0.7)) {
                log.note("operator: deletes pod " + ObjectStore.key(pod));
                world.evictions().delete(ObjectStore.key(pod));
            }
        });
    }

    private void loseAGpu() {
        var whole = world.server().nodes().all().stream()
                .filter(node -> NodeFacts.isUsable(node) && NodeFacts.gpus(node) > 0)
                .toList();
        any(Fault.LOST_GPU, whole).ifPresent(node -> {
            var name = node.getMetadata().getName();
            var left = new Quantity(Long.toString(NodeFacts.gpus(node) - 1));
            log.note("node %s has lost a GPU, %s are left".formatted(name, left));
            world.server()
                    .nodes()
                    .changeIfThere(
                            name,
                            before -> new NodeBuilder(before)
                                    .editStatus()
                                    .addToAllocatable(NodeFacts.GPUS, left)
                                    .addToCapacity(NodeFacts.GPUS, left)
                                    .endStatus()
                                    .build());
        });
    }

    private void breakAMachine() {
        var chance = injector.of(Fault.SICK);
        var whole = world.server().nodes().all().stream()
                .filter(node -> NodeFacts.isUsable(node) && !NodeFacts.isReportedBroken(node))
                .toList();
        any(Fault.SICK, whole).ifPresent(node -> {
            var name = node.getMetadata().getName();
            report(name, true);
            if (chance.happens(0.4)) {
                world.time()
                        .after(
                                chance.between(Duration.ofSeconds(10), Duration.ofMinutes(10)),
                                () -> report(name, false));
            }
        });
    }

    private void report(String node, boolean broken) {
        log.note("an agent reports that the machine of node %s is %s".formatted(node, broken ? "broken" : "whole"));
        world.server()
                .nodes()
                .changeIfThere(
                        node,
                        before ->
                                NodeFacts.reported(before, broken, world.time().instant()));
    }

    /**
     * Agents that are late on new nodes, such as a network agent in a pod of a DaemonSet. Each agent removes its taint from the node when
     * the agent is ready.
     */
    private final class LateAgents implements Watch<Node> {
        private static final String KEY = "node.cilium.io/agent-not-ready";

        @Override
        public void added(Node node) {
            if (injector.has(Fault.LATE_TAINT) && injector.of(Fault.LATE_TAINT).happens(0.5)) {
                var name = node.getMetadata().getName();
                var length = injector.of(Fault.LATE_TAINT).between(Duration.ofSeconds(5), Duration.ofMinutes(4));
                log.note("the network agent on node %s becomes ready after %d s".formatted(name, length.toSeconds()));
                change(name, taints -> taints.add(new Taint("NoSchedule", KEY, null, null)));
                world.time()
                        .after(
                                length,
                                () -> change(name, taints -> taints.removeIf(taint -> KEY.equals(taint.getKey()))));
            }
        }

        private void change(String node, Consumer<List<Taint>> how) {
            world.server().nodes().changeIfThere(node, before -> {
                var taints = new ArrayList<>(
                        Optional.ofNullable(before.getSpec().getTaints()).orElse(List.of()));
                how.accept(taints);
                return new NodeBuilder(before)
                        .editSpec()
                        .withTaints(taints)
                        .endSpec()
                        .build();
            });
        }
    }

    private <T extends HasMetadata> Optional<T> any(Fault fault, Collection<T> all) {
        return injector.of(fault).any(List.copyOf(all));
    }
}
