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

/** The invariants of requests for more machines. */
final class LaunchInvariants {

    private final World world;
    private final NeededMachines wanted;
    private final AnnouncedNodes announced;
    /** The nodes that have lost all of their GPUs for good. */
    private final Set<String> withoutGpus = new HashSet<>();

    LaunchInvariants(World world, NeededMachines wanted, AnnouncedNodes announced) {
        this.world = world;
        this.announced = announced;
        this.wanted = wanted;
        world.server().nodes().inform(() -> Duration.ZERO).tell(new NodesSeen());
    }

    /** Checks a request for more machines, before the cloud receives it. */
    void grows(Pool pool, int from, int to) {
        if (to > pool.max() && to > from) {
            throw broken(
                    "size", "pool %s grows to %d, more than its maximum of %d".formatted(pool.name(), to, pool.max()));
        }
        // Idle machines that pending pods need are not spare.
        int spare = Math.max(0, idle(pool) - wanted.machines(List.of(pool)));
        if (to <= pool.min() + pool.spare() || to - from + spare <= pool.spare()) {
            // A pool may always request its minimum and spare machines, even while other machines are provisioning. The
            // other machines may be for pods that now run elsewhere, because a request stays open until it times out.
            return;
        }
        // If the pool became invalid while the request was under way, the pool's tiers are unknown, and all pools are
        // compared.
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
                    "no more machines than needed",
                    "pool %s grows from %d to %d; provisioning machines: %s; recently pending pods, minimums and spares need only %d machines"
                            .formatted(pool.name(), from, to, coming, may));
        }
    }

    /** Returns the pools of all tiers that contain this pool. Demand for pools of other tiers does not justify a growth of this pool. */
    private List<Pool> inTheSameTiers(Pool pool) {
        var names = new TreeSet<>(List.of(pool.name()));
        world.catalogue().tiers().values().stream()
                .map(tier -> tier.pools().stream().map(Pool::name).toList())
                .filter(of -> of.contains(pool.name()))
                .forEach(names::addAll);
        return pools().stream().filter(other -> names.contains(other.name())).toList();
    }

    /** Returns how many machines of a pool are usable, not under notice, not broken and without pods, or are provisioning. */
    private int idle(Pool pool) {
        var used = world.server().pods().all().stream()
                .filter(pod -> !Pods.ended(pod))
                .map(pod -> Optional.ofNullable(pod.getSpec().getNodeName()).orElse(""))
                .collect(Collectors.toSet());
        return toCome(pool).size()
                + (int) world.cloud().running(pool.name()).stream()
                        .filter(machine -> !used.contains(machine) && !announced.mayBeEmptied(machine))
                        .filter(machine -> world.server()
                                .nodes()
                                .get(machine)
                                .filter(NodeFacts::isUsable)
                                .isPresent())
                        .count();
    }

    /**
     * Returns the provisioning machines of a pool. Machines that have taken longer than the pool's timeout or a tier's {@code fallbackAfter}
     * do not count: other machines may be requested instead. If the cloud has reported a shortage, outstanding machines do not count either.
     */
    private List<String> toCome(Pool pool) {
        // The timeout is one second shorter, because Kubernetes stores the time at which a node joined in whole
        // seconds.
        var timeout = timeout(pool).minusSeconds(1);
        var cloud = world.cloud();
        int owed = cloud.lacks(pool.name()) ? 0 : cloud.outstanding(pool.name(), timeout);
        var coming = new ArrayList<>(Collections.nCopies(owed, "a request of " + pool.name()));
        cloud.called(pool.name(), timeout).stream()
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
                && !announced.mayBeEmptied(node.getMetadata().getName())
                && !withoutGpus.contains(node.getMetadata().getName());
    }

    private Duration timeout(Pool pool) {
        return world.catalogue().tiers().values().stream()
                .filter(tier -> tier.pools().contains(pool)
                        && tier.pools().stream()
                                .anyMatch(other ->
                                        !other.equals(pool) && tier.rank(other.name()) >= tier.rank(pool.name())))
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
