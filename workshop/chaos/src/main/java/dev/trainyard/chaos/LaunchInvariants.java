package dev.trainyard.chaos;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.Pods;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.NodeFacts;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What must hold when a pool grows. */
final class LaunchInvariants {

    private final World world;
    private final NeededMachines wanted;
    /** NodeFacts that have lost all of their GPUs, which never come back. */
    private final Set<String> withoutGpus = new HashSet<>();

    LaunchInvariants(World world, NeededMachines wanted) {
        this.world = world;
        this.wanted = wanted;
        world.server().nodes().inform(() -> Duration.ZERO).tell(new NodesSeen());
    }

    /** Before a cloud takes the order. */
    void grows(Pool pool, int from, int to) {
        if (to > pool.max() && to > from) {
            throw broken(
                    "size", "pool %s grows to %d, more than its maximum of %d".formatted(pool.name(), to, pool.max()));
        }
        if (to <= pool.min() + pool.spare() || to - from + idle(pool) <= pool.spare()) {
            // What it owes itself it may ask for, whatever else is to come: orders for pods that run elsewhere by now
            // stand until they are overdue.
            return;
        }
        // If somebody spoilt it while the order was under way, nobody can tell which pods it was for.
        var alike = world.catalogue().pools().containsKey(pool.name()) ? inTheSameTiers(pool) : pools();
        var coming = new ArrayList<String>();
        int may = 0;
        for (var other : alike) {
            coming.addAll(toCome(other));
            may += other.min() + other.spare();
        }
        may += wanted.machines(alike);
        if (coming.size() + to - from > may) {
            throw broken(
                    "no more than is wanted",
                    "pool %s grows from %d to %d, and to come are %s, where %d are wanted by pods that wait or did a moment ago, and by minimums and spares"
                            .formatted(pool.name(), from, to, coming, may));
        }
    }

    /** Those that pods have a choice of, where they may have this one; what others ask for elsewhere is no reason for this one to grow. */
    private List<Pool> inTheSameTiers(Pool pool) {
        var names = new TreeSet<>(List.of(pool.name()));
        world.catalogue().tiers().values().stream()
                .map(tier -> tier.pools().stream().map(Pool::name).toList())
                .filter(of -> of.contains(pool.name()))
                .forEach(names::addAll);
        return pools().stream().filter(other -> names.contains(other.name())).toList();
    }

    /** Machines of a pool that pods could run on and none does, or that are to come. */
    private int idle(Pool pool) {
        var used = world.server().pods().all().stream()
                .filter(pod -> !Pods.ended(pod))
                .map(pod -> Optional.ofNullable(pod.getSpec().getNodeName()).orElse(""))
                .collect(Collectors.toSet());
        return toCome(pool).size()
                + (int) world.cloud().running(pool.name()).stream()
                        .filter(machine -> !used.contains(machine))
                        .filter(machine -> world.server()
                                .nodes()
                                .get(machine)
                                .filter(NodeFacts::isUsable)
                                .isPresent())
                        .count();
    }

    /**
     * Machines of a pool that were asked for and that no pod can use yet, but will. Those that take longer than its tiers allow are not waited for, nor
     * what is owed when the cloud has said that it lacks a part of it: others may be bought.
     */
    private List<String> toCome(Pool pool) {
        // Kubernetes writes to the second when a node joined, which patience counts from.
        var patience = patience(pool).minusSeconds(1);
        var cloud = world.cloud();
        int owed = cloud.lacks(pool.name()) ? 0 : cloud.outstanding(pool.name(), patience);
        var coming = new ArrayList<>(Collections.nCopies(owed, "an order of " + pool.name()));
        cloud.called(pool.name(), patience).stream()
                .filter(machine -> world.server()
                        .nodes()
                        .get(machine)
                        .map(node -> isToCome(node) && world.lives(machine))
                        .orElse(true))
                .forEach(coming::add);
        return coming;
    }

    private boolean isToCome(Node node) {
        return !NodeFacts.isUnschedulable(node)
                && !NodeFacts.isUsable(node)
                && !withoutGpus.contains(node.getMetadata().getName());
    }

    private Duration patience(Pool pool) {
        return world.catalogue().tiers().values().stream()
                .filter(tier -> tier.pools().contains(pool)
                        && !tier.pools().get(tier.pools().size() - 1).equals(pool))
                .map(Tier::fallbackAfter)
                .filter(after -> after.compareTo(pool.provisionTimeout()) < 0)
                .min(Duration::compareTo)
                .orElse(pool.provisionTimeout());
    }

    private Collection<Pool> pools() {
        return world.catalogue().pools().values();
    }

    private final class NodesSeen implements Watch<Node> {
        @Override
        public void changed(Node before, Node after) {
            if (NodeFacts.gpus(before) > 0 && NodeFacts.gpus(after) == 0) {
                withoutGpus.add(after.getMetadata().getName());
            }
        }
    }

    private InvariantViolation broken(String invariant, String how) {
        return new InvariantViolation(invariant, world.time().elapsed(), how);
    }
}
