package dev.trainyard.simulation.chaos;

import dev.trainyard.core.Names;
import dev.trainyard.runtime.resource.TrainingPool;
import dev.trainyard.scaler.observe.Marks;
import dev.trainyard.simulation.api.Shelf;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.Replica;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.time.Chance;
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

/** What goes wrong at times of its own, and not in the middle of a request. */
final class Happenings {

    private final World world;
    private final Mischief mischief;
    private final Diary diary;
    private final Oddities oddities;

    private Happenings(World world, Mischief mischief, Diary diary) {
        this.world = world;
        this.mischief = mischief;
        this.diary = diary;
        this.oddities = new Oddities(world, mischief.of(Fault.MALFORMED), diary);
    }

    /** Plans everything, until {@code until}; then puts right what a person has to put right. */
    static void plan(World world, Mischief mischief, Diary diary, Duration until) {
        var happenings = new Happenings(world, mischief, diary);
        happenings.every(Fault.STOCK, Duration.ofMinutes(20), happenings::drought);
        happenings.every(Fault.WATCH, Duration.ofMinutes(6), happenings::loseAWatch);
        happenings.every(Fault.KILL, Duration.ofMinutes(20), happenings::kill);
        happenings.every(Fault.FREEZE, Duration.ofMinutes(20), happenings::cutOff);
        happenings.every(Fault.CLOCK, Duration.ofMinutes(20), happenings::setTheClock);
        happenings.every(Fault.OPERATOR, Duration.ofMinutes(5), happenings::operate);
        world.server().nodes().inform(() -> Duration.ZERO).tell(happenings.new Regrets());
        world.server().pods().inform(() -> Duration.ZERO).tell(happenings.new BadMoments());
        world.server().nodes().inform(() -> Duration.ZERO).tell(new ChangeFreezes(world, mischief, diary));
        happenings.every(Fault.MALFORMED, Duration.ofMinutes(10), happenings.oddities::make);
        happenings.every(Fault.SPOT_STORM, Duration.ofMinutes(30), happenings::storm);
        happenings.every(Fault.HANG, Duration.ofMinutes(15), happenings::hang);
        happenings.every(Fault.STUCK_POD, Duration.ofMinutes(15), happenings::stick);
        happenings.every(Fault.LOST_GPU, Duration.ofMinutes(15), happenings::loseAGpu);
        world.server().nodes().inform(() -> Duration.ZERO).tell(happenings.new LateAgents());
        var foreign = new ForeignNodes(world, mischief, diary);
        happenings.every(Fault.FOREIGN_NODE, Duration.ofMinutes(20), foreign::join);
        world.time().at(until.toNanos(), foreign::leaveAll);
        happenings.every(Fault.SLOW_DELIVERY, Duration.ofMinutes(20), happenings::slowDown);
        var drains = new Drains(world, mischief, diary);
        happenings.every(Fault.DRAIN, Duration.ofMinutes(15), drains::drainOne);
        world.server().nodes().inform(() -> Duration.ZERO).tell(drains);
        world.time().at(until.toNanos(), happenings::end);
    }

    private void every(Fault fault, Duration mean, Runnable what) {
        world.time().after(mischief.of(fault).until(mean), () -> {
            if (mischief.has(fault)) {
                what.run();
                every(fault, mean, what);
            }
        });
    }

    private void end() {
        mischief.end();
        oddities.remove();
        for (var node : List.copyOf(world.server().nodes().all())) {
            if (Nodes.isCordoned(node)) {
                cordon(node, false);
            }
            unmark(node);
        }
    }

    private void drought() {
        any(Fault.STOCK, world.server().pools().all())
                .ifPresent(pool -> mischief.drought(
                        pool.getMetadata().getName(),
                        mischief.of(Fault.STOCK).between(Duration.ofMinutes(1), Duration.ofMinutes(40))));
    }

    private void slowDown() {
        var chance = mischief.of(Fault.SLOW_DELIVERY);
        any(Fault.SLOW_DELIVERY, world.server().pools().all())
                .ifPresent(pool -> mischief.slowDown(
                        pool.getMetadata().getName(),
                        chance.between(Duration.ofSeconds(20), Duration.ofMinutes(5)),
                        chance.between(Duration.ofMinutes(5), Duration.ofMinutes(40))));
    }

    private void loseAWatch() {
        var chance = mischief.of(Fault.WATCH);
        var length = chance.between(Duration.ofSeconds(1), Duration.ofSeconds(45));
        for (var replica : world.replicas()) {
            replica.watched().ifPresent(watched -> {
                switch (chance.number(3)) {
                    case 0 -> watched.pods().lose(length);
                    case 1 -> watched.nodes().lose(length);
                    default -> watched.pools().lose(length);
                }
                diary.note("%s loses a watch for %d s".formatted(replica.identity(), length.toSeconds()));
            });
        }
    }

    /** The scaler does not hear of a pod that comes while a machine is idle, and may be about to go. */
    private final class BadMoments implements Watch<Pod> {
        @Override
        public void added(Pod pod) {
            if (mischief.has(Fault.WATCH)
                    && isAnyIdle()
                    && mischief.of(Fault.WATCH).happens(0.15)) {
                var length = mischief.of(Fault.WATCH).between(Duration.ofSeconds(10), Duration.ofSeconds(45));
                diary.note("nobody hears of pod %s for %d s".formatted(Shelf.key(pod), length.toSeconds()));
                for (var replica : world.replicas()) {
                    replica.watched().ifPresent(watched -> watched.pods().lose(length));
                }
            }
        }

        private boolean isAnyIdle() {
            return world.server().nodes().all().stream()
                    .map(node -> node.getMetadata().getAnnotations())
                    .anyMatch(annotations -> annotations != null && annotations.containsKey(Marks.IDLE_SINCE));
        }
    }

    /** Wherever it is: between rounds, or while one waits. */
    private void kill() {
        anyReplica(Fault.KILL).ifPresent(replica -> {
            diary.note(replica.identity() + " dies");
            replica.kill();
        });
    }

    private void cutOff() {
        anyReplica(Fault.FREEZE).ifPresent(replica -> {
            var length = mischief.of(Fault.FREEZE).between(Duration.ofSeconds(1), Duration.ofMinutes(1));
            diary.note("%s cannot renew the Lease for %d s".formatted(replica.identity(), length.toSeconds()));
            replica.cutOff(length);
        });
    }

    private Optional<Replica> anyReplica(Fault fault) {
        var replicas = List.copyOf(world.replicas());
        return replicas.isEmpty()
                ? Optional.empty()
                : Optional.of(replicas.get(mischief.of(fault).number(replicas.size())));
    }

    private void setTheClock() {
        var chance = mischief.of(Fault.CLOCK);
        var by = chance.between(Duration.ofSeconds(1), Duration.ofMinutes(90));
        by = chance.happens(0.5) ? by : by.negated();
        diary.note("the clock on the wall is set by %d s".formatted(by.toSeconds()));
        world.time().setWallClock(by);
        mischief.clockIsSet();
    }

    private void operate() {
        switch (mischief.of(Fault.OPERATOR).number(8)) {
            case 0 -> any(Fault.OPERATOR, world.server().nodes().all()).ifPresent(node -> cordon(node, true));
            case 1 ->
                any(Fault.OPERATOR, world.server().nodes().all())
                        .filter(Nodes::isCordoned)
                        .ifPresent(node -> cordon(node, false));
            case 2 ->
                any(Fault.OPERATOR, world.server().pods().all()).ifPresent(pod -> {
                    diary.note("operator: deletes pod " + Shelf.key(pod));
                    world.evictions().delete(Shelf.key(pod));
                });
            case 3 ->
                anyMachine().ifPresent(machine -> {
                    diary.note("operator: deletes the machine %s in the cloud".formatted(machine.name()));
                    world.removeByHand(machine.pool(), machine.name());
                });
            case 4 ->
                any(Fault.OPERATOR, world.server().pools().all()).ifPresent(pool -> {
                    int by = mischief.of(Fault.OPERATOR).happens(0.5) ? 1 : -1;
                    var name = pool.getMetadata().getName();
                    diary.note("operator: sets the size of pool %s in the cloud by %+d".formatted(name, by));
                    world.resizeByHand(name, by);
                    mischief.sizeIsSet(name);
                });
            case 5 -> any(Fault.OPERATOR, world.server().nodes().all()).ifPresent(this::mark);
            case 6 ->
                any(
                                Fault.OPERATOR,
                                world.server().nodes().all().stream()
                                        .filter(node -> Nodes.mark(node).isPresent())
                                        .toList())
                        .ifPresent(this::unmark);
            default -> hang();
        }
    }

    private record Found(String pool, String name) {}

    private Optional<Found> anyMachine() {
        return any(Fault.OPERATOR, world.server().pools().all()).flatMap(pool -> {
            var running = world.cloud().running(pool.getMetadata().getName());
            return running.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Found(
                            pool.getMetadata().getName(),
                            running.get(mischief.of(Fault.OPERATOR).number(running.size()))));
        });
    }

    private void cordon(Node node, boolean on) {
        var name = node.getMetadata().getName();
        diary.note("operator: %s node %s".formatted(on ? "cordons" : "uncordons", name));
        world.server()
                .nodes()
                .changeIfThere(
                        name,
                        before -> new NodeBuilder(before)
                                .editSpec()
                                .withUnschedulable(on ? Boolean.TRUE : null)
                                .endSpec()
                                .build());
    }

    private void untaint(Node node) {
        var name = node.getMetadata().getName();
        diary.note("operator: takes the taint off node %s that is being removed".formatted(name));
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

    /** People who see that a machine goes, and want to keep it. */
    private final class Regrets implements Watch<Node> {
        @Override
        public void changed(Node before, Node after) {
            if (Nodes.beginsToGo(before, after) && mischief.has(Fault.OPERATOR)) {
                var chance = mischief.of(Fault.OPERATOR);
                if (chance.happens(0.3)) {
                    world.time().after(chance.between(Duration.ofSeconds(1), Duration.ofMinutes(1)), () -> {
                        if (mischief.has(Fault.OPERATOR)) {
                            untaint(after);
                        }
                    });
                }
            }
        }
    }

    private void mark(Node node) {
        var name = node.getMetadata().getName();
        var chance = mischief.of(Fault.OPERATOR);
        var mark = Map.of(Nodes.MARKS.get(chance.number(Nodes.MARKS.size())), "true");
        boolean labels = chance.happens(0.5);
        diary.note("operator: marks node %s with %s".formatted(name, mark));
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
        if (Nodes.mark(node).isEmpty()) {
            return;
        }
        var name = node.getMetadata().getName();
        diary.note("operator: takes the marks off node " + name);
        world.server().nodes().changeIfThere(name, before -> {
            var after = new NodeBuilder(before).editMetadata();
            for (var mark : Nodes.MARKS) {
                after = after.removeFromLabels(mark).removeFromAnnotations(mark);
            }
            return after.endMetadata().build();
        });
    }

    private void storm() {
        for (var pool : List.copyOf(world.server().pools().all())) {
            if (isSpot(pool)) {
                for (var machine : world.cloud().running(pool.getMetadata().getName())) {
                    diary.note("spot machine %s is taken back".formatted(machine));
                    world.takeBack(pool.getMetadata().getName(), machine);
                }
            }
        }
    }

    private static boolean isSpot(TrainingPool pool) {
        return pool.getSpec().capacityType().toString().equals("spot");
    }

    /** One that is being emptied rather than another: there are few, and what is half done goes wrong. */
    private void hang() {
        var emptied = world.server().nodes().all().stream()
                .filter(node -> Nodes.removal(node).isPresent())
                .map(node -> node.getMetadata().getName())
                .filter(world::lives)
                .toList();
        (emptied.isEmpty()
                        ? anyMachine().map(Found::name)
                        : Optional.of(emptied.get(mischief.of(Fault.HANG).number(emptied.size()))))
                .ifPresent(machine -> {
                    diary.note("machine %s hangs".formatted(machine));
                    world.hang(machine);
                });
    }

    /** Most of them are deleted at once; others perhaps when their machine is emptied. */
    private void stick() {
        var running = world.server().pods().all().stream()
                .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
                .toList();
        any(Fault.STUCK_POD, running).ifPresent(pod -> {
            diary.note("pod %s does not end when it is told to".formatted(Shelf.key(pod)));
            world.stick(pod);
            if (mischief.of(Fault.STUCK_POD).happens(0.7)) {
                diary.note("operator: deletes pod " + Shelf.key(pod));
                world.evictions().delete(Shelf.key(pod));
            }
        });
    }

    private void loseAGpu() {
        var whole = world.server().nodes().all().stream()
                .filter(node -> Nodes.isUsable(node) && Nodes.gpus(node) > 0)
                .toList();
        any(Fault.LOST_GPU, whole).ifPresent(node -> {
            var name = node.getMetadata().getName();
            var left = new Quantity(Long.toString(Nodes.gpus(node) - 1));
            diary.note("node %s has lost a GPU, %s are left".formatted(name, left));
            world.server()
                    .nodes()
                    .changeIfThere(
                            name,
                            before -> new NodeBuilder(before)
                                    .editStatus()
                                    .addToAllocatable(Nodes.GPUS, left)
                                    .addToCapacity(Nodes.GPUS, left)
                                    .endStatus()
                                    .build());
        });
    }

    /** As of a network's agent, which comes as a pod of a DaemonSet and takes its taint away when it is ready. */
    private final class LateAgents implements Watch<Node> {
        private static final String KEY = "node.cilium.io/agent-not-ready";

        @Override
        public void added(Node node) {
            if (mischief.has(Fault.LATE_TAINT) && mischief.of(Fault.LATE_TAINT).happens(0.5)) {
                var name = node.getMetadata().getName();
                var length = mischief.of(Fault.LATE_TAINT).between(Duration.ofSeconds(5), Duration.ofMinutes(4));
                diary.note("the agent on node %s is late by %d s".formatted(name, length.toSeconds()));
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
        Chance chance = mischief.of(fault);
        var list = List.copyOf(all);
        return list.isEmpty() ? Optional.empty() : Optional.of(list.get(chance.number(list.size())));
    }
}
