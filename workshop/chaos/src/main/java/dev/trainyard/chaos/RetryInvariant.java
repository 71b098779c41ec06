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
 * How many machines are tried for pods that an unknown rule keeps off all of them: one for each pod, and then none for half an hour
 * ({@code docs/decisions/0057}).
 */
final class RetryInvariant {

    /** Shorter than what a pool is left alone for: of one order one machine joins later than another. */
    private static final Duration WITHIN = Duration.ofMinutes(20);

    private final World world;
    private final NeededMachines wanted;
    private final Predicate<Pod> refused;
    /** By node: since when pods could run on it. */
    private final Map<String, Long> usable = new HashMap<>();
    /** NodeFacts that a pod has been on. */
    private final Set<String> used = new HashSet<>();
    /** By pool: when a pod that may have it, and that no rule is against, waited last, or there was news of one; or somebody set its size. */
    private final Map<String, Long> others = new HashMap<>();
    /** By pool: machines that went and had helped nobody. */
    private final Map<String, ArrayDeque<Try>> inVain = new HashMap<>();

    /**
     * @param at when the machine went, in virtual time, in nanoseconds
     * @param pods how many waited for one then
     */
    private record Try(long at, long pods) {}

    /** @param refused whether an unknown rule is, or was, against such pods */
    RetryInvariant(World world, NeededMachines wanted, Predicate<Pod> refused) {
        this.world = world;
        this.wanted = wanted;
        this.refused = refused;
        world.server().nodes().inform(() -> Duration.ZERO).tell(new NodesSeen());
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
    }

    /** What is remembered of pools may seem to be over. */
    void clockIsSet() {
        inVain.clear();
    }

    /** Somebody sets the size of a pool in the cloud: the next machine is perhaps theirs. */
    void sizeIsSet(String pool) {
        others.put(pool, world.time().nanos());
    }

    /** Before a machine goes. */
    void terminates(Pool pool, String machine) {
        var since = usable.get(machine);
        // A spare machine comes when an idle one is kept for a pod, be it in vain, and one goes when it is not.
        if (since == null
                || used.contains(machine)
                || pool.spare() > 0
                || world.cloud().isUncalled(pool.name(), machine)) {
            return;
        }
        long waiting = 0;
        for (var pod : world.server().pods().all()) {
            if (NeededMachines.waits(pod) && pools(pod).contains(pool)) {
                see(pod);
                waiting += refused.test(pod) && wanted.isBoughtFor(pod) ? 1 : 0;
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
        // Some are there longer than others that came at the same time: they are drained, or kept for a pod that then
        // finds another.
        if (tries.size() > 2 * most + pool.min()) {
            throw new InvariantViolation(
                    "what does not help is not tried again",
                    world.time().elapsed(),
                    "%d machines of pool %s have come and gone unused within %s, while %d pods waited that the scheduler places on none"
                            .formatted(tries.size(), pool.name(), Durations.format(WITHIN), most));
        }
    }

    private void see(Pod pod) {
        if (!refused.test(pod)) {
            pools(pod).forEach(pool -> others.put(pool.name(), world.time().nanos()));
        }
    }

    /** Those that it may have. */
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
