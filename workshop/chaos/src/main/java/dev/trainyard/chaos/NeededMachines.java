package dev.trainyard.chaos;

import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.MalformedObjects;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** How many machines are wanted, by the pods that the API server has. */
final class NeededMachines {

    /** For so long after a pod stopped waiting a machine may still be asked for it: watches are late, requests take long. */
    private static final Duration LATE = Duration.ofMinutes(3);

    /** Cluster Autoscaler's default of {@code --expendable-pods-priority-cutoff}, as of the scaler's {@code --priority-cutoff}. */
    private static final int CUTOFF = -10;

    /** No tier has an empty name. */
    private static final String NO_TIER = "";

    private final World world;
    private final Predicate<Pod> refused;
    private final CompleteGangs gangs;
    /** Pods that stopped waiting less than {@link #LATE} ago. */
    private final ArrayDeque<Served> served = new ArrayDeque<>();

    /** @param at in virtual time, in nanoseconds */
    private record Served(long at, Pod pod) {}

    /** Pods of one tier: how many there are, and what shares of a machine they take together. */
    private record Sum(int pods, double shares) {

        private static final Sum NONE = new Sum(0, 0);

        Sum plus(double share) {
            return new Sum(pods + 1, shares + share);
        }

        /**
         * A machine is bought only for what fits on none that is bought already, so that what is on any two of them is more than one holds:
         * no more than twice what the pods take, as of all packings that use a bin again while something fits (D. S. Johnson, Fast algorithms
         * for bin packing, 1974). What a pod takes is its dominant share, since it may be another resource that is lacking each time. And
         * never more than one for each pod.
         */
        int machines() {
            return Math.min(pods, Math.max(1, (int) Math.ceil(2 * shares) - 1));
        }
    }

    /** @param refused whether an unknown rule of the scheduler is, or was, against such pods */
    NeededMachines(World world, Predicate<Pod> refused) {
        this.world = world;
        this.refused = refused;
        this.gangs = new CompleteGangs(world, this::fitsNoMachine);
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
    }

    /**
     * Machines that the pods justify that wait, or did a moment ago, and may have one of these pools, as far as one can tell. For a pod that the
     * scheduler places on none a machine of each pool is tried, and what is to come of one that did not help is nothing to it.
     */
    int machines(Collection<Pool> pools) {
        forget();
        var sums = new HashMap<String, Sum>();
        var pods = Stream.concat(
                        world.server().pods().all().stream().filter(NeededMachines::waits),
                        served.stream().map(Served::pod))
                .filter(pod -> mayHaveOne(pod, pools) && isBoughtFor(pod))
                .toList();
        pods.forEach(pod -> add(sums, pod));
        int tries = (pools.size() - 1) * (int) pods.stream().filter(refused).count();
        return tries + sums.values().stream().mapToInt(Sum::machines).sum();
    }

    private boolean mayHaveOne(Pod pod, Collection<Pool> pools) {
        return tier(pod)
                .map(tier -> tier.pools().stream().anyMatch(pools::contains))
                .orElse(true);
    }

    /** Whether a machine may be bought for it: not for what is to have what others leave, nor for what could not run, or not with all of its gang. */
    boolean isBoughtFor(Pod pod) {
        return PriorityInvariant.priority(pod) >= CUTOFF && !fitsNoMachine(pod) && gangs.mayRun(pod, LATE);
    }

    /** Where its tier cannot be read nobody can tell. */
    private boolean fitsNoMachine(Pod pod) {
        var requests = PodReader.shapeOf(pod).requests();
        return tier(pod).stream()
                .anyMatch(tier -> !tier.pools().isEmpty()
                        && tier.pools().stream().noneMatch(pool -> dominantShare(requests, pool) <= 1));
    }

    private Optional<Tier> tier(Pod pod) {
        return Optional.ofNullable(PodReader.tier(pod))
                .map(name -> world.catalogue().tiers().get(name));
    }

    private void add(Map<String, Sum> sums, Pod pod) {
        var tier = tier(pod);
        sums.merge(
                tier.map(Tier::name).orElse(NO_TIER),
                Sum.NONE.plus(share(pod, tier)),
                (sum, more) -> sum.plus(more.shares()));
    }

    /** Of the smallest machine that its tier may have; all of it where it fits none, or nobody can tell. */
    private static double share(Pod pod, Optional<Tier> tier) {
        var requests = PodReader.shapeOf(pod).requests();
        return tier.stream()
                .flatMap(of -> of.pools().stream())
                .mapToDouble(pool -> Math.min(1, dominantShare(requests, pool)))
                .max()
                .orElse(1);
    }

    private static double dominantShare(Resources requests, Pool pool) {
        var machine = pool.promise().allocatable();
        return requests.asMap().entrySet().stream()
                .filter(request -> request.getValue() > 0)
                .mapToDouble(request -> request.getValue() / (double) machine.get(request.getKey()))
                .max()
                .orElse(0);
    }

    static boolean waits(Pod pod) {
        return pod.getSpec().getNodeName() == null && !MalformedObjects.isOdd(pod);
    }

    private void forget() {
        while (!served.isEmpty() && world.time().nanos() - served.getFirst().at() > LATE.toNanos()) {
            served.removeFirst();
        }
    }

    private void stoppedWaiting(Pod pod) {
        served.add(new Served(world.time().nanos(), pod));
        forget();
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void changed(Pod before, Pod after) {
            if (waits(before) && after.getSpec().getNodeName() != null) {
                stoppedWaiting(before);
            }
        }

        @Override
        public void removed(Pod last) {
            if (waits(last)) {
                stoppedWaiting(last);
            }
        }
    }
}
