package dev.trainyard.chaos;

import dev.trainyard.core.Names;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.tier.Tier;
import dev.trainyard.core.tier.Tier.ReturnToSpot;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.Pods;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.NodeFacts;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The invariants of evictions and of the removal of nodes and machines. Times are wall-clock times, because the scaler decides by
 * wall-clock times.
 */
final class RemovalInvariants {

    private static final String INTERRUPTED = "no pod is interrupted against the rules";
    private static final String TOO_SOON = "nothing is removed too soon";

    /** The tolerance of times, because Kubernetes stores whole seconds and watches are late. */
    private static final Duration ABOUT = Duration.ofSeconds(5);
    /** How long a pod is on a machine before the scaler must know the pod. */
    private static final Duration SEEN = Duration.ofMinutes(2);

    /**
     * How long after its deadline a terminating pod keeps a Ready machine. The value is not read from the scaler's code, which may be
     * wrong.
     */
    private static final Duration STUCK = Duration.ofMinutes(10);

    private final World world;
    private final AnnouncedNodes announced;
    private final LeavingGangs gangs;
    private final OperatorInvariants wishes;
    /** The times at which pods were bound, by pod UID. */
    private final Map<String, Instant> bound = new HashMap<>();
    /** The times at which the last pod of a node ended or was removed, by node. */
    private final Map<String, Instant> left = new HashMap<>();

    private long clockSet = -SEEN.toNanos();

    RemovalInvariants(World world, AnnouncedNodes announced, LeavingGangs gangs) {
        this.world = world;
        this.announced = announced;
        this.gangs = gangs;
        this.wishes = new OperatorInvariants(world, announced);
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
    }

    /** Forgets all recorded times, which are void after a change of the wall clock. */
    void clockIsSet() {
        bound.clear();
        left.clear();
        clockSet = world.time().nanos();
    }

    /** Checks an eviction by the scaler, before it happens. No rule protects pods from an announced reclaim: the machine goes anyway. */
    void evicts(PodOnNode asked) {
        var pod = world.server()
                .pods()
                .get(asked.namespace() + "/" + asked.name())
                .orElse(null);
        if (pod == null
                || !isAlive(pod)
                || announced.mayBeActedOn(pod.getSpec().getNodeName())
                || gangs.mayLeave(pod)) {
            return;
        }
        wishes.asks(pod.getSpec().getNodeName(), "pod %s is evicted from its node".formatted(asked));
        wishes.evicts(pod.getSpec().getNodeName(), "pod %s is evicted from its node".formatted(asked));
        if (isProtected(pod)) {
            throw broken(INTERRUPTED, "pod %s is evicted, but must not be interrupted".formatted(asked));
        }
        var node = world.server().nodes().get(pod.getSpec().getNodeName()).orElseThrow();
        var removal = NodeFacts.removal(node).filter(Removal::movesPods);
        if (removal.isPresent() && CompleteGangs.gang(pod).isPresent()) {
            throw broken(INTERRUPTED, "pod %s is moved, although the move would stop its gang".formatted(asked));
        }
        if (removal.isPresent() && !isResumable(pod)) {
            throw broken(INTERRUPTED, "pod %s is moved, but is not marked as resumable".formatted(asked));
        }
        var since = bound.get(asked.uid());
        var grace = removal.filter(mark -> mark.reason() == Removal.Reason.RETURN_TO_SPOT)
                        .isPresent()
                ? afterWhichReturns(pod)
                : pool(node).map(Pool::drainGrace);
        if (removal.isPresent() && since != null && grace.isPresent() && isSooner(since, removal.get(), grace.get())) {
            throw broken(
                    TOO_SOON,
                    "pod %s is moved too soon: the pod was scheduled at %s, and the node was cordoned at %s"
                            .formatted(asked, since, removal.get().since()));
        }
    }

    /** Checks the deletion of a node by the scaler, before it happens. */
    void deletes(String name) {
        wishes.asks(name, "node %s is deleted".formatted(name));
        var node = world.server().nodes().get(name);
        boolean runs = node.flatMap(this::pool)
                .filter(pool -> world.cloud().running(pool.name()).contains(name))
                .isPresent();
        if (runs && node.filter(NodeFacts::isReady).isPresent()) {
            throw broken(
                    OperatorInvariants.NOT_OURS,
                    "node %s is deleted, although the node is Ready and its machine runs".formatted(name));
        }
    }

    /** Checks the termination of a machine by request, before it happens. */
    void terminates(Pool pool, String machine) {
        var node = world.server().nodes().get(machine).orElse(null);
        if (node == null) {
            return;
        }
        wishes.asks(machine, "machine %s is terminated".formatted(machine));
        wishes.terminates(machine, "machine %s is terminated".formatted(machine));
        boolean ready = NodeFacts.isReady(node);
        boolean hangs = !ready && world.cloud().running(pool.name()).contains(machine);
        for (var pod : world.server().pods().all()) {
            boolean runs = machine.equals(pod.getSpec().getNodeName())
                    && "Running".equals(pod.getStatus().getPhase());
            if (runs && (ready ? !isLost(pod, STUCK) : hangs && isProtected(pod) && !isLost(pod, PodOnNode.OVERDUE))) {
                throw broken(
                        INTERRUPTED,
                        "machine %s of pool %s is terminated; its node is%s Ready; pod %s still runs on that node, with deletionTimestamp %s"
                                .formatted(
                                        machine,
                                        pool.name(),
                                        ready ? "" : " not",
                                        ObjectStore.key(pod),
                                        pod.getMetadata().getDeletionTimestamp()));
            }
        }
        var removal = NodeFacts.removal(node);
        var since = left.get(machine);
        if (since != null
                && removal.filter(mark -> mark.reason() == Removal.Reason.IDLE)
                        .filter(mark -> isSooner(since, mark, pool.idleAfter()))
                        .isPresent()) {
            throw broken(
                    TOO_SOON,
                    "machine %s is removed as idle too soon: a pod ran on the machine until %s, and the node was cordoned at %s"
                            .formatted(machine, since, removal.get().since()));
        }
    }

    private static boolean isSooner(Instant since, Removal removal, Duration than) {
        var age = Duration.between(since, removal.since()).plus(ABOUT);
        // If the age is negative, the pod arrived after the node was cordoned.
        return !age.isNegative() && age.compareTo(than) < 0;
    }

    /** Whether the pod is terminating and its deadline passed at least {@code after} ago, so that the pod cannot be saved. */
    private boolean isLost(Pod pod, Duration after) {
        if (world.time().nanos() - clockSet < SEEN.toNanos()) {
            return true; // the pod may have been overdue before the clock changed
        }
        return Optional.ofNullable(pod.getMetadata().getDeletionTimestamp())
                .map(by -> Instant.parse(by).plus(after).minus(ABOUT))
                .filter(end -> !world.time().instant().isBefore(end))
                .isPresent();
    }

    private boolean isAlive(Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() == null
                && Optional.ofNullable(pod.getSpec().getNodeName())
                        .flatMap(world.server().nodes()::get)
                        .filter(NodeFacts::isReady)
                        .isPresent();
    }

    private static boolean isProtected(Pod pod) {
        var metadata = pod.getMetadata();
        var annotations = Optional.ofNullable(metadata.getAnnotations()).orElse(Map.of());
        boolean bare = Optional.ofNullable(metadata.getOwnerReferences())
                .orElse(List.of())
                .isEmpty();
        return bare || "true".equals(annotations.get(Names.DO_NOT_DISRUPT));
    }

    /** Whether a Deployment owns the pod, or the pod or its tier is marked resumable. */
    private boolean isResumable(Pod pod) {
        boolean says = Optional.ofNullable(pod.getMetadata().getAnnotations())
                .filter(annotations -> "true".equals(annotations.get(Names.RESUMABLE)))
                .isPresent();
        return says
                || pod.getMetadata().getOwnerReferences().stream()
                        .anyMatch(owner -> owner.getKind().equals("ReplicaSet"))
                || Optional.ofNullable(pod.getMetadata().getAnnotations())
                        .map(annotations -> annotations.get(Names.TIER))
                        .flatMap(world.server().tiers()::get)
                        .filter(tier -> Boolean.TRUE.equals(tier.getSpec().resumable()))
                        .isPresent();
    }

    /** Returns the time for which the pod stays on its on-demand machine at least. */
    private Optional<Duration> afterWhichReturns(Pod pod) {
        return Optional.ofNullable(PodReader.tier(pod))
                .map(name -> world.catalogue().tiers().get(name))
                .flatMap(Tier::returnToSpot)
                .map(ReturnToSpot::after);
    }

    private Optional<Pool> pool(Node node) {
        return world.poolOf(node.getMetadata().getName());
    }

    private InvariantViolation broken(String invariant, String how) {
        return new InvariantViolation(invariant, world.time().elapsed(), how);
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void changed(Pod before, Pod after) {
            if (before.getSpec().getNodeName() == null && after.getSpec().getNodeName() != null) {
                bound.put(after.getMetadata().getUid(), world.time().instant());
            }
            if (Pods.ended(after) && !Pods.ended(before)) {
                gone(after);
            }
        }

        @Override
        public void removed(Pod last) {
            gone(last);
        }

        private void gone(Pod pod) {
            var since = bound.remove(pod.getMetadata().getUid());
            var now = world.time().instant();
            if (since != null && !now.isBefore(since.plus(SEEN))) {
                left.put(pod.getSpec().getNodeName(), now);
            }
        }
    }
}
