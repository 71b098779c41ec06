package dev.trainyard.chaos;

import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Resources;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.Pods;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.MalformedObjects;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The number of machines that the pods in the API server justify. */
final class NeededMachines {

    /** How long a machine may still be requested for a pod that is no longer pending. Watches are late, and requests take long. */
    private static final Duration LATE = Duration.ofMinutes(3);

    /** The default of Cluster Autoscaler's {@code --expendable-pods-priority-cutoff} and of the scaler's {@code --priority-cutoff}. */
    private static final int CUTOFF = -10;

    /** The key of pods without a tier. No tier has this name. */
    private static final String NO_TIER = "";

    private final World world;
    private final AnnouncedNodes announced;
    private final LeavingGangs leaving;
    private final Predicate<Pod> refused;
    private final CompleteGangs gangs;
    /** The pods that stopped being pending less than {@link #LATE} ago. */
    private final ArrayDeque<Served> served = new ArrayDeque<>();

    /**
     * A pod that is no longer pending.
     *
     * @param at when the pod was last pending, in nanoseconds of virtual time
     */
    private record Served(long at, Pod pod) {}

    /** The pods of one tier: their number, and the sum of the shares of a machine that they take. */
    private record Sum(int pods, double shares) {

        private static final Sum NONE = new Sum(0, 0);

        Sum plus(double share) {
            return new Sum(pods + 1, shares + share);
        }

        /**
         * Returns the largest number of machines that these pods justify, at most one per pod.
         *
         * <p>A machine is requested only for pods that fit no requested machine. So the pods of any two machines do not fit one machine
         * together. This property limits the number of machines to twice the sum of the pods' shares. The limit holds for all packings that
         * reuse a bin as long as something fits (D. S. Johnson, Fast algorithms for bin packing, 1974). A pod counts with its dominant
         * share, its largest share of any resource, because a different resource may be short on each machine.
         */
        int machines() {
            return Math.min(pods, Math.max(1, (int) Math.ceil(2 * shares) - 1));
        }
    }

    /** @param refused tells whether a scheduler rule unknown to Trainyard excludes, or has ever excluded, pods like the given pod */
    NeededMachines(World world, AnnouncedNodes announced, LeavingGangs leaving, Predicate<Pod> refused) {
        this.world = world;
        this.announced = announced;
        this.leaving = leaving;
        this.refused = refused;
        this.gangs = new CompleteGangs(world, this::fitsNoMachine, this::leaves);
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
    }

    /**
     * Returns how many machines of these pools are justified by pods that may use one of the pools. A pod counts if it is pending, or was
     * pending less than {@link #LATE} ago. A pod on a machine whose reclaim is announced, or that is broken, counts as pending, and so does a
     * pod that may return to a spot machine. If the scheduler refuses a pod on every node, the planner may try one machine of each pool.
     * After a machine did not help, the planner ignores provisioning machines of that machine's pool for the pod.
     */
    int machines(Collection<Pool> pools) {
        forget();
        var sums = new HashMap<String, Sum>();
        var pods = Stream.of(
                        world.server().pods().all().stream().filter(this::isDemand),
                        served.stream().map(Served::pod),
                        returning(pools))
                .flatMap(kind -> kind)
                .filter(pod -> mayHaveOne(pod, pools) && justifiesMachine(pod))
                .toList();
        pods.forEach(pod -> add(sums, pod));
        int tries = (pools.size() - 1) * (int) pods.stream().filter(refused).count();
        return tries + sums.values().stream().mapToInt(Sum::machines).sum();
    }

    /**
     * Returns pods that may return to spot machines of one of these pools, as many of each tier as may return at the same time. Which pods
     * the scaler chooses is not checked here.
     */
    private Stream<Pod> returning(Collection<Pool> pools) {
        return world.catalogue().tiers().values().stream()
                .filter(tier -> tier.returnToSpot().isPresent()
                        && tier.pools().stream().anyMatch(pool -> pool.isSpot() && pools.contains(pool)))
                .flatMap(tier -> world.server().pods().all().stream()
                        .filter(pod -> !MalformedObjects.isOdd(pod)
                                && !Pods.ended(pod)
                                && !isDemand(pod)
                                && tier.name().equals(PodReader.tier(pod)))
                        .sorted(Comparator.comparing((Pod pod) -> share(pod, Optional.of(tier)))
                                .reversed())
                        .limit(tier.returnToSpot().orElseThrow().atMost()));
    }

    private boolean mayHaveOne(Pod pod, Collection<Pool> pools) {
        return tier(pod)
                .map(tier -> tier.pools().stream().anyMatch(pools::contains))
                .orElse(true);
    }

    /**
     * Whether a machine may be requested for the pod. Conditions: the pod's priority is at or above the cutoff, the pod fits some machine,
     * and its gang, if any, is complete.
     */
    boolean justifiesMachine(Pod pod) {
        return PriorityInvariant.priority(pod) >= CUTOFF && !fitsNoMachine(pod) && gangs.mayRun(pod, LATE);
    }

    /** Whether the pod fits no machine of its tier; false if the tier is invalid or unknown. */
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

    /** Returns the pod's share of the smallest machine of its tier; 1 if the pod does not fit this machine or the tier is unknown. */
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

    private boolean isDemand(Pod pod) {
        return waits(pod) || leaves(pod);
    }

    /** Whether the pod's machine may be under notice or broken, and the pod's controller will create the pod again. */
    private boolean leaves(Pod pod) {
        var node = pod.getSpec().getNodeName();
        return node != null
                && !MalformedObjects.isOdd(pod)
                && !Pods.ended(pod)
                && !pod.getMetadata().getOwnerReferences().isEmpty()
                && (announced.mayBeEmptied(node) || leaving.mayLeave(pod));
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
            if (isDemand(last)) {
                stoppedWaiting(last);
            }
        }
    }
}
