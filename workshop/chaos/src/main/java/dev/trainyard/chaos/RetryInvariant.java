package dev.trainyard.chaos;

import dev.trainyard.core.Durations;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.NodeFacts;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The invariant that limits the machines for pods that the scheduler refuses on every node, by a rule unknown to Trainyard. The scaler tries
 * one machine for each such pod, and then none for half an hour ({@code docs/decisions/0057}).
 */
final class RetryInvariant {

    /** The period for counting tries. It is shorter than half an hour, because machines of one request join at different times. */
    private static final Duration WITHIN = Duration.ofMinutes(20);

    private final World world;
    private final NeededMachines wanted;
    private final Predicate<Pod> refused;
    /** The times since which nodes have been usable, by node. */
    private final Map<String, Long> usable = new HashMap<>();
    /** The nodes that have had a pod. */
    private final Set<String> used = new HashSet<>();
    /**
     * The latest time at which a machine may have been requested for another reason, by pool. Another reason is a pod that no unknown
     * scheduler rule excludes, or a person who changed the size of the pool.
     */
    private final Map<String, Long> others = new HashMap<>();
    /** The machines that were removed without having helped a pod, by pool. */
    private final Map<String, ArrayDeque<Try>> inVain = new HashMap<>();

    /**
     * A machine that was tried without success.
     *
     * @param at when the machine was removed, in nanoseconds of virtual time
     * @param pods how many refused pods were pending at that time
     */
    private record Try(long at, long pods) {}

    /** @param refused tells whether a scheduler rule unknown to Trainyard excludes, or has ever excluded, pods like the given pod */
    RetryInvariant(World world, NeededMachines wanted, Predicate<Pod> refused) {
        this.world = world;
        this.wanted = wanted;
        this.refused = refused;
        world.server().nodes().inform(() -> Duration.ZERO).tell(new NodesSeen());
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
    }

    /** Forgets all tries. After a change of the wall clock, the scaler may regard its records of tried pools as expired. */
    void clockIsSet() {
        inVain.clear();
    }

    /** Records that a person changed the size of a pool in the cloud. The next machine may be a result of that change. */
    void sizeIsSet(String pool) {
        others.put(pool, world.time().nanos());
    }

    /** Checks the termination of a machine, before it happens. */
    void terminates(Pool pool, String machine) {
        var since = usable.get(machine);
        // Pools with spare machines are not checked. The scaler requests a new spare machine while it keeps an idle
        // machine for a pending pod. The scaler removes the spare machine afterwards.
        if (since == null
                || used.contains(machine)
                || pool.spare() > 0
                || world.cloud().isUnrequested(pool.name(), machine)) {
            return;
        }
        long waiting = 0;
        for (var pod : world.server().pods().all()) {
            if (NeededMachines.waits(pod) && pools(pod).contains(pool)) {
                see(pod);
                waiting += refused.test(pod) && wanted.justifiesMachine(pod) ? 1 : 0;
            }
        }
        var asked = since - pool.provisionTimeout().toNanos();
        boolean forOthers = others.containsKey(pool.name()) && others.get(pool.name()) >= asked;
        if (waiting == 0 || forOthers) {
            return;
        }
        long now = world.time().nanos();
        var tries = inVain.computeIfAbsent(pool.name(), name -> new ArrayDeque<>());
        tries.add(new Try(now, waiting));
        while (now - tries.getFirst().at() > WITHIN.toNanos()) {
            tries.removeFirst();
        }
        long most = tries.stream().mapToLong(Try::pods).max().orElse(0);
        // The limit is doubled, because some machines stay longer than others of the same request. These machines are
        // drained, or kept for a pod that then runs elsewhere.
        if (tries.size() > 2 * most + pool.min()) {
            throw new InvariantViolation(
                    "machines that did not help are not requested again",
                    world.time().elapsed(),
                    "%d machines of pool %s joined and were removed unused within %s, for %d pods that the scheduler places on none of them"
                            .formatted(tries.size(), pool.name(), Durations.format(WITHIN), most));
        }
    }

    private void see(Pod pod) {
        if (!refused.test(pod)) {
            pools(pod).forEach(pool -> others.put(pool.name(), world.time().nanos()));
        }
    }

    /** Returns the pools that the pod may use. */
    private Collection<Pool> pools(Pod pod) {
        var tier = Optional.ofNullable(PodReader.tier(pod))
                .map(name -> world.catalogue().tiers().get(name));
        return tier.isPresent() ? tier.get().pools() : world.catalogue().pools().values();
    }

    private final class NodesSeen implements Watch<Node> {
        @Override
        public void added(Node node) {
            changed(node, node);
        }

        @Override
        public void changed(Node before, Node after) {
            if (NodeFacts.isUsable(after)) {
                usable.putIfAbsent(after.getMetadata().getName(), world.time().nanos());
            }
        }

        @Override
        public void removed(Node last) {
            usable.remove(last.getMetadata().getName());
            used.remove(last.getMetadata().getName());
        }
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void added(Pod pod) {
            changed(pod, pod);
        }

        @Override
        public void changed(Pod before, Pod after) {
            if (NeededMachines.waits(before)) {
                see(after);
            }
            if (after.getSpec().getNodeName() != null) {
                used.add(after.getSpec().getNodeName());
            }
        }

        @Override
        public void removed(Pod last) {
            if (NeededMachines.waits(last)) {
                see(last);
            }
        }
    }
}
