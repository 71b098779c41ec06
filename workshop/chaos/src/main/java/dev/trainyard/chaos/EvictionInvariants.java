package dev.trainyard.chaos;

import dev.trainyard.core.Durations;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.Evictions;
import dev.trainyard.simulation.cluster.Pods;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.NodeFacts;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The invariants of disruption budgets. A machine is chosen for a drain only if the budgets allow all evictions. The eviction of a pod that
 * a budget protects is not retried too often, except during the notice of a reclaim. Times are nanoseconds of the run, by a monotonic clock.
 */
final class EvictionInvariants {

    /** How long the scaler may still use an old value of a budget, because watches are late and processes are suspended. */
    private static final Duration LATE = Duration.ofMinutes(3);
    /** How long a pod is on its node before the scaler must know the pod. */
    private static final Duration SEEN = Duration.ofMinutes(2);
    /** The time within which the scaler cordons all machines that it chose together. */
    private static final Duration TOGETHER = Duration.ofSeconds(30);

    private static final Duration LONG = Duration.ofMinutes(15);

    /**
     * The largest accepted number of refused evictions of a pod within {@link #LONG}. With back-offs of 10 s, 20 s and so on up to two
     * minutes, ten evictions are refused. A few more are refused if the scaler cannot record an attempt. Without back-offs, the scaler would
     * try in every round, and ninety evictions would be refused.
     */
    private static final int MANY = 24;

    private final World world;
    private final AnnouncedNodes announced;
    /** The current and recent numbers of allowed disruptions, by budget. */
    private final Map<String, ArrayDeque<Allowed>> allowed = new HashMap<>();
    /** The times at which pods were bound, by pod UID. */
    private final Map<String, Long> bound = new HashMap<>();
    /** The times at which nodes were chosen for a drain, by node. */
    private final Map<String, Long> emptied = new HashMap<>();
    /** The times at which a budget refused an eviction, by pod UID. */
    private final Map<String, ArrayDeque<Long>> refused = new HashMap<>();

    /**
     * The number of disruptions that a budget allowed from a time on.
     *
     * @param since the time, in nanoseconds of the run
     */
    private record Allowed(int pods, long since) {}

    EvictionInvariants(World world, AnnouncedNodes announced) {
        this.world = world;
        this.announced = announced;
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
        world.server().nodes().inform(() -> Duration.ZERO).tell(new NodesSeen());
        world.server().budgets().inform(() -> Duration.ZERO).tell(new BudgetsSeen());
    }

    /** Checks an eviction by the scaler, before it happens. */
    void evicts(PodOnNode asked) {
        var pod = world.server().pods().get(asked.namespace() + "/" + asked.name());
        boolean held = pod.filter(found -> found.getMetadata().getUid().equals(asked.uid()) && stays(found))
                .filter(found -> world.evictions().isHeld(found)
                        && !announced.mayBeActedOn(found.getSpec().getNodeName()))
                .isPresent();
        if (!held) {
            return;
        }
        var times = refused.computeIfAbsent(asked.uid(), uid -> new ArrayDeque<>());
        times.add(world.time().nanos());
        while (isOlder(times.getFirst(), LONG)) {
            times.removeFirst();
        }
        if (times.size() > MANY) {
            throw broken(
                    "refused evictions are not repeated often",
                    "pod %s: the scaler requested %d evictions within %s, but the pod's budget allows no eviction"
                            .formatted(asked, times.size(), Durations.format(LONG)));
        }
    }

    private void isToBeEmptied(Node node) {
        var name = node.getMetadata().getName();
        emptied.values().removeIf(since -> isOlder(since, TOGETHER));
        emptied.put(name, world.time().nanos());
        for (var budget : world.server().budgets().all()) {
            var leaving = world.server().pods().all().stream()
                    .filter(pod -> leaves(pod) && Evictions.covers(budget, pod))
                    .map(ObjectStore::key)
                    .toList();
            if (leaving.size() > most(budget)) {
                throw broken(
                        "disruption budgets are respected",
                        "draining node %s would evict %s, but budget %s has allowed only %d evictions for %s"
                                .formatted(
                                        name, leaving, ObjectStore.key(budget), most(budget), Durations.format(LATE)));
            }
        }
    }

    /** Whether the pod must be evicted for a drain, and the scaler can know about the pod. */
    private boolean leaves(Pod pod) {
        var since = bound.get(pod.getMetadata().getUid());
        return since != null
                && isOlder(since, SEEN)
                && stays(pod)
                && emptied.containsKey(pod.getSpec().getNodeName());
    }

    private static boolean stays(Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() == null && !Pods.ended(pod);
    }

    /** Returns the largest number of disruptions that the budget has allowed lately. */
    private int most(PodDisruptionBudget budget) {
        var times = allowed.getOrDefault(ObjectStore.key(budget), new ArrayDeque<>());
        forget(times);
        return times.stream().mapToInt(Allowed::pods).max().orElse(0);
    }

    private void reckon(Pod of) {
        for (var budget : List.copyOf(world.server().budgets().all())) {
            if (Evictions.covers(budget, of)) {
                reckon(budget);
            }
        }
    }

    private void reckon(PodDisruptionBudget budget) {
        var before = allowed.computeIfAbsent(ObjectStore.key(budget), key -> new ArrayDeque<>());
        before.add(new Allowed(world.evictions().allowed(budget), world.time().nanos()));
        forget(before);
    }

    /** Removes the values that a newer value replaced more than {@link #LATE} ago. */
    private void forget(ArrayDeque<Allowed> times) {
        while (times.size() > 1) {
            var first = times.removeFirst();
            if (!isOlder(times.getFirst().since(), LATE)) {
                times.addFirst(first);
                return;
            }
        }
    }

    private boolean isOlder(long since, Duration than) {
        return world.time().nanos() - since > than.toNanos();
    }

    private InvariantViolation broken(String invariant, String how) {
        return new InvariantViolation(invariant, world.time().elapsed(), how);
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void added(Pod pod) {
            reckon(pod);
        }

        @Override
        public void changed(Pod before, Pod after) {
            if (after.getSpec().getNodeName() != null) {
                bound.putIfAbsent(after.getMetadata().getUid(), world.time().nanos());
            }
            reckon(after);
        }

        @Override
        public void removed(Pod last) {
            bound.remove(last.getMetadata().getUid());
            refused.remove(last.getMetadata().getUid());
            reckon(last);
        }
    }

    private final class BudgetsSeen implements Watch<PodDisruptionBudget> {
        @Override
        public void changed(PodDisruptionBudget before, PodDisruptionBudget after) {
            reckon(after);
        }
    }

    private final class NodesSeen implements Watch<Node> {
        @Override
        public void changed(Node before, Node after) {
            if (isEmptied(after) && !isEmptied(before)) {
                isToBeEmptied(after);
            }
        }

        private static boolean isEmptied(Node node) {
            return NodeFacts.removal(node).filter(Removal::movesPods).isPresent();
        }
    }
}
