package dev.trainyard.chaos;

import dev.trainyard.core.Names;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.simulation.api.Shelf;
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

/** What must hold when the scaler has pods leave, and nodes and machines go. Times are those of the clock on the wall, by which it goes too. */
final class RemovalInvariants {

    private static final String INTERRUPTED = "nothing is interrupted";
    private static final String TOO_SOON = "nothing goes too soon";

    /** Kubernetes tells times to the second, and watches are late. */
    private static final Duration ABOUT = Duration.ofSeconds(5);
    /** A pod that was on a machine for less may have come and gone while the scaler saw nothing. */
    private static final Duration SEEN = Duration.ofMinutes(2);

    /** So long after it had to end a pod keeps no machine that is Ready. Not taken from the scaler, which may be wrong. */
    private static final Duration STUCK = Duration.ofMinutes(10);

    private final World world;
    private final OperatorInvariants wishes;
    /** By uid of a pod: when it got its node. */
    private final Map<String, Instant> bound = new HashMap<>();
    /** By node: when the last pod on it ended, or was gone. */
    private final Map<String, Instant> left = new HashMap<>();

    private long clockSet = -SEEN.toNanos();

    RemovalInvariants(World world) {
        this.world = world;
        this.wishes = new OperatorInvariants(world);
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
    }

    /** The clock on the wall is set: what was noted by it says nothing any more. */
    void clockIsSet() {
        bound.clear();
        left.clear();
        clockSet = world.time().nanos();
    }

    /** Before the scaler asks a pod to leave. */
    void evicts(PodOnNode asked) {
        var pod = world.server()
                .pods()
                .get(asked.namespace() + "/" + asked.name())
                .orElse(null);
        if (pod == null || !isAlive(pod)) {
            return;
        }
        wishes.asks(pod.getSpec().getNodeName(), "pod %s is asked to leave its node".formatted(asked));
        wishes.leaves(pod.getSpec().getNodeName(), "pod %s is asked to leave its node".formatted(asked));
        if (isProtected(pod)) {
            throw broken(INTERRUPTED, "pod %s, which must not be interrupted, is asked to leave".formatted(asked));
        }
        var node = world.server().nodes().get(pod.getSpec().getNodeName()).orElseThrow();
        var removal = NodeFacts.removal(node).filter(mark -> mark.reason() == Removal.Reason.UNDER_UTILIZED);
        if (removal.isPresent() && CompleteGangs.gang(pod).isPresent()) {
            throw broken(INTERRUPTED, "pod %s, with which its gang would stop, is moved".formatted(asked));
        }
        if (removal.isPresent() && !isResumable(pod)) {
            throw broken(INTERRUPTED, "pod %s, which nothing says can be resumed, is moved".formatted(asked));
        }
        var since = bound.get(asked.uid());
        var grace = pool(node).map(Pool::drainGrace);
        if (removal.isPresent() && since != null && grace.isPresent() && isSooner(since, removal.get(), grace.get())) {
            throw broken(
                    TOO_SOON,
                    "pod %s is moved, which was scheduled at %s: the node was cordoned at %s"
                            .formatted(asked, since, removal.get().since()));
        }
    }

    /** Before the scaler deletes a node. */
    void deletes(String name) {
        wishes.asks(name, "node %s is deleted".formatted(name));
        var node = world.server().nodes().get(name);
        boolean runs = node.flatMap(this::pool)
                .filter(pool -> world.cloud().running(pool.name()).contains(name))
                .isPresent();
        if (runs && node.filter(NodeFacts::isReady).isPresent()) {
            throw broken(
                    OperatorInvariants.NOT_OURS,
                    "node %s is deleted, which is Ready, and its machine runs".formatted(name));
        }
    }

    /** Before a machine goes because it was ordered to. */
    void terminates(Pool pool, String machine) {
        var node = world.server().nodes().get(machine).orElse(null);
        if (node == null) {
            return;
        }
        wishes.asks(machine, "machine %s is terminated".formatted(machine));
        wishes.leaves(machine, "machine %s is terminated".formatted(machine));
        boolean ready = NodeFacts.isReady(node);
        boolean hangs = !ready && world.cloud().running(pool.name()).contains(machine);
        for (var pod : world.server().pods().all()) {
            boolean runs = machine.equals(pod.getSpec().getNodeName())
                    && "Running".equals(pod.getStatus().getPhase());
            if (runs && (ready ? !isLost(pod, STUCK) : hangs && isProtected(pod) && !isLost(pod, PodOnNode.OVERDUE))) {
                throw broken(
                        INTERRUPTED,
                        "machine %s of pool %s, whose node is%s Ready, is terminated while pod %s runs on it, told to end by %s"
                                .formatted(
                                        machine,
                                        pool.name(),
                                        ready ? "" : " not",
                                        Shelf.key(pod),
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
                    "machine %s goes as idle, on which a pod was until %s: it was cordoned at %s"
                            .formatted(machine, since, removal.get().since()));
        }
    }

    private static boolean isSooner(Instant since, Removal removal, Duration than) {
        var age = Duration.between(since, removal.since()).plus(ABOUT);
        // Where it is less than nothing, it came when the node was cordoned already.
        return !age.isNegative() && age.compareTo(than) < 0;
    }

    /** Whether it was told to end, and the time for that has been over for long: nothing of it can be saved any more. */
    private boolean isLost(Pod pod, Duration after) {
        if (world.time().nanos() - clockSet < SEEN.toNanos()) {
            return true; // perhaps it was, by the clock as it was
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

    /** Whether it is a Deployment's, or it says so itself, or its tier does. */
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
