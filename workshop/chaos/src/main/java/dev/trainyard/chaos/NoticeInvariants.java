package dev.trainyard.chaos;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.plan.Outcome;
import dev.trainyard.simulation.api.ObjectStore;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.NoticeSign;
import dev.trainyard.simulation.cluster.Pods;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.MalformedObjects;
import dev.trainyard.simulation.fault.NodeFacts;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Taint;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The invariants of notices: announced reclaims of machines, broken machines, and recommendations to save work. */
final class NoticeInvariants {

    private static final String AVOIDED = "no pod is placed on a machine under notice";
    private static final String REPLACED = "machines are requested before the evictions of a notice";
    private static final String REAL = "only a notice of a reclaim removes a machine early";
    private static final String BROKEN = "only a broken machine is replaced as broken";
    private static final String FEW = "few broken machines are replaced at a time";
    private static final String NOTHING_LEFT = "a withdrawn notice leaves nothing behind";

    /**
     * How long the effects of a withdrawn notice may last. Rounds are ten seconds apart, watches are lost for 45 s, requests fail, and
     * another process takes over within twenty seconds.
     */
    private static final Duration LIMIT = Duration.ofMinutes(5);

    /** The time without a round after which measurements start again, because no process could act. */
    private static final Duration NOBODY = Duration.ofMinutes(1);

    private final World world;
    private final AnnouncedNodes announced;
    private final LeavingGangs gangs;
    /** The evictions in the current round because of a notice, by pod UID. */
    private final Map<String, Evicted> evicted = new HashMap<>();
    /** When each pool was last enlarged, in nanoseconds of the run, by pool. */
    private final Map<String, Long> grown = new HashMap<>();
    /** Since when each node has had effects of a notice that does not count, in nanoseconds of the run. */
    private final Map<String, Long> left = new HashMap<>();

    /** When each node last had a pod that stayed, in nanoseconds of the run. Pods that cannot be evicted may be left on such a node. */
    private final Map<String, Long> occupied = new HashMap<>();

    private long lastRound;

    /**
     * An eviction because of a notice.
     *
     * @param grown the state of {@link NoticeInvariants#grown} at the eviction
     */
    private record Evicted(String uid, String pod, long at, Map<String, Long> grown) {}

    NoticeInvariants(World world, AnnouncedNodes announced, LeavingGangs gangs) {
        this.world = world;
        this.announced = announced;
        this.gangs = gangs;
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
        world.server().nodes().inform(() -> Duration.ZERO).tell(new NodesSeen());
    }

    /** Forgets all measurements. After a change of the wall clock, other notices count than before. */
    void clockIsSet() {
        left.clear();
    }

    /** Forgets the evictions of a process that has ended. */
    void leads() {
        evicted.clear();
    }

    /** Records a request for machines, or that a person changed the size of a pool. */
    void grows(String pool) {
        grown.put(pool, world.time().nanos());
    }

    /** Checks an eviction by the scaler, before it happens. */
    void evicts(PodOnNode asked) {
        var pod = world.server().pods().get(asked.namespace() + "/" + asked.name());
        var node = pod.flatMap(found -> Optional.ofNullable(found.getSpec().getNodeName())
                .flatMap(world.server().nodes()::get));
        if (node.isEmpty()
                || !pod.get().getMetadata().getUid().equals(asked.uid())
                || !stays(pod.get())
                || !NodeFacts.isReady(node.get())) {
            return;
        }
        if (isForReclaim(node.get())) {
            isReal(node.get(), "pod %s is evicted from its node".formatted(asked));
        }
        if (isCreatedAgain(pod.get())) {
            evicted.put(
                    asked.uid(),
                    new Evicted(
                            asked.uid(),
                            ObjectStore.key(pod.get()),
                            world.time().nanos(),
                            Map.copyOf(grown)));
        }
    }

    private void isReal(Node node, String what) {
        var name = node.getMetadata().getName();
        if (!announced.mayBeActedOn(name)) {
            var recommendation = NoticeSign.RECOMMENDATIONS.stream()
                    .filter(sign -> sign.isOn(node))
                    .findFirst();
            throw broken(
                    REAL,
                    "%s, but no cloud announced the reclaim of machine %s; recommendation on the node: %s"
                            .formatted(
                                    what, name, recommendation.map(Enum::name).orElse("none")));
        }
    }

    /** Checks the evictions of a round, and that effects of withdrawn notices end. */
    void ended(Round.Result round) {
        for (var verdict : round.verdicts()) {
            if (verdict.node().leaveNotice().isPresent()) {
                evictions(verdict.step())
                        .forEach(pod -> Optional.ofNullable(evicted.remove(pod.uid()))
                                .ifPresent(was -> isReplaced(was, round)));
            }
        }
        evicted.clear();
        long now = world.time().nanos();
        if (now - lastRound > NOBODY.toNanos()) {
            left.clear();
        }
        lastRound = now;
        noteOccupied();
        for (var node : world.server().nodes().all()) {
            look(node);
        }
        left.keySet().removeIf(node -> world.server().nodes().get(node).isEmpty());
    }

    /** Returns the pods that a step evicts. */
    static List<PodOnNode> evictions(Verdict.Step step) {
        if (step instanceof Verdict.Drain drain) {
            return drain.eviction().pods();
        }
        return step instanceof Verdict.Evict evict ? evict.pods() : List.of();
    }

    /**
     * Checks that the round planned for an evicted pod, and that the cloud received the request for its machine first. The machine may have
     * been requested a while before if the cloud's answer was lost.
     */
    private void isReplaced(Evicted pod, Round.Result round) {
        var outcome = round.plan().replacements().get(pod.uid());
        if (outcome == null) {
            throw broken(REPLACED, "pod %s is evicted, but the round did not plan for the pod".formatted(pod.pod()));
        }
        place(outcome).filter(node -> isUnderNotice(node, round)).ifPresent(node -> {
            throw broken(
                    REPLACED,
                    "pod %s is evicted, and planned for node %s, which is under notice, too"
                            .formatted(pod.pod(), node));
        });
        if (outcome instanceof Outcome.Growing growing) {
            var requested = pod.grown().get(growing.pool());
            if (requested == null || pod.at() - requested > LIMIT.toNanos()) {
                throw broken(
                        REPLACED,
                        "pod %s was evicted before a machine of pool %s was requested for the pod"
                                .formatted(pod.pod(), growing.pool()));
            }
        }
    }

    /** Returns the existing node that the outcome names; empty if there is none. */
    private static Optional<String> place(Outcome outcome) {
        if (outcome instanceof Outcome.OnNode on) {
            return Optional.of(on.node());
        }
        return outcome instanceof Outcome.Upcoming upcoming ? Optional.of(upcoming.machine()) : Optional.empty();
    }

    private static boolean isUnderNotice(String node, Round.Result round) {
        return round.verdicts().stream()
                .map(Verdict::node)
                .anyMatch(seen -> seen.name().equals(node) && (seen.reclaim().isPresent() || seen.isSick()));
    }

    private void noteOccupied() {
        for (var pod : world.server().pods().all()) {
            if (pod.getSpec().getNodeName() != null && stays(pod)) {
                occupied.put(pod.getSpec().getNodeName(), world.time().nanos());
            }
        }
    }

    private boolean mayBeOccupied(Node node) {
        var at = occupied.get(node.getMetadata().getName());
        return at != null && world.time().nanos() - at <= AnnouncedNodes.LATE.toNanos();
    }

    private void look(Node node) {
        var name = node.getMetadata().getName();
        var remains = remains(node);
        if (remains.isEmpty()
                || NodeFacts.isTerminationRequested(node)
                || world.poolOf(name).isEmpty()) {
            left.remove(name);
            return;
        }
        long now = world.time().nanos();
        long since = left.computeIfAbsent(name, key -> now);
        if (now - since > LIMIT.toNanos()) {
            throw broken(
                    NOTHING_LEFT,
                    "no notice has counted on node %s for %s, but %s"
                            .formatted(name, Durations.format(Duration.ofNanos(now - since)), remains.get()));
        }
    }

    /** Returns an effect of a notice that does not count; empty if there is none. */
    private Optional<String> remains(Node node) {
        var name = node.getMetadata().getName();
        if (announced.isUnderNotice(name)) {
            return Optional.empty();
        }
        if (isForReclaim(node) || isKeptFree(node)) {
            return Optional.of("the node takes no pods");
        }
        if (isRemovedAsBroken(node) && !announced.mayBeBroken(name)) {
            return Optional.of("the node takes no pods, as if its machine were broken");
        }
        boolean recommended = announced.isAnnouncedForLater(name)
                || announced.mayBeBroken(name)
                || NoticeSign.RECOMMENDATIONS.stream().anyMatch(sign -> sign.isOn(node));
        return world.server().pods().all().stream()
                .filter(pod -> name.equals(pod.getSpec().getNodeName()) && stays(pod) && !MalformedObjects.isOdd(pod))
                .filter(pod -> !gangs.hasNotice(pod))
                .filter(pod -> has(pod, Names.ENDS_AT) || (!recommended && has(pod, Names.CHECKPOINT_SINCE)))
                .map(pod -> "pod %s has the annotation of a notice".formatted(ObjectStore.key(pod)))
                .findFirst();
    }

    /** Checks the final state. All notices have been withdrawn. */
    void settled() {
        for (var node : world.server().nodes().all()) {
            var name = node.getMetadata().getName();
            if (has(node, Names.REMOVING)
                    || has(node, Names.NOTICED_SINCE)
                    || taints(node).stream().anyMatch(taint -> Names.REMOVING.equals(taint.getKey()))) {
                throw broken(
                        NOTHING_LEFT,
                        "node %s has annotations %s and taints %s"
                                .formatted(name, node.getMetadata().getAnnotations(), taints(node)));
            }
        }
        for (var pod : world.server().pods().all()) {
            if (stays(pod) && (has(pod, Names.ENDS_AT) || has(pod, Names.CHECKPOINT_SINCE))) {
                throw broken(
                        NOTHING_LEFT,
                        "pod %s has annotations %s"
                                .formatted(
                                        ObjectStore.key(pod), pod.getMetadata().getAnnotations()));
            }
        }
    }

    private static boolean isRemovedAsBroken(Node node) {
        return NodeFacts.removal(node)
                .filter(removal -> removal.reason() == Removal.Reason.SICK)
                .isPresent();
    }

    /** Checks that the machine is broken, and that the pool's limit allows its replacement. */
    private void isBroken(Node node) {
        var name = node.getMetadata().getName();
        if (!announced.mayBeBroken(name)) {
            throw broken(BROKEN, "node %s is replaced as broken, but nothing says that it is".formatted(name));
        }
        world.poolOf(name).ifPresent(pool -> {
            // The scaler may not know of a removal that began just now.
            var known = world.time().instant().minus(AnnouncedNodes.LATE);
            noteOccupied();
            long others = world.server().nodes().all().stream()
                    .filter(other -> world.poolOf(other.getMetadata().getName())
                            .filter(pool::equals)
                            .isPresent())
                    .filter(other -> isRemovedAsBroken(other)
                            && NodeFacts.removal(other)
                                    .filter(removal -> removal.since().isBefore(known))
                                    .isPresent())
                    .filter(other -> !mayBeOccupied(other))
                    .count();
            if (others >= pool.sick().limit(pool.max())) {
                throw broken(
                        FEW,
                        "node %s of pool %s is replaced as broken, beside %d other nodes"
                                .formatted(name, pool.name(), others));
            }
        });
    }

    private static boolean isForReclaim(Node node) {
        return NodeFacts.removal(node)
                .filter(removal -> removal.reason() == Removal.Reason.RECLAIM_ANNOUNCED)
                .isPresent();
    }

    private static boolean isKeptFree(Node node) {
        return taints(node).stream()
                .anyMatch(taint -> Names.REMOVING.equals(taint.getKey())
                        && Removal.Reason.RECLAIM_ANNOUNCED.toString().equals(taint.getValue()));
    }

    private static List<Taint> taints(Node node) {
        return Optional.ofNullable(node.getSpec().getTaints()).orElse(List.of());
    }

    private static boolean isCreatedAgain(Pod pod) {
        return !MalformedObjects.isOdd(pod)
                && !Optional.ofNullable(pod.getMetadata().getOwnerReferences())
                        .orElse(List.of())
                        .isEmpty();
    }

    private static boolean stays(Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() == null && !Pods.ended(pod);
    }

    private static boolean has(HasMetadata object, String annotation) {
        return Optional.ofNullable(object.getMetadata().getAnnotations())
                .orElse(Map.of())
                .containsKey(annotation);
    }

    private InvariantViolation broken(String invariant, String how) {
        return new InvariantViolation(invariant, world.time().elapsed(), how);
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void changed(Pod before, Pod after) {
            var node = after.getSpec().getNodeName();
            if (before.getSpec().getNodeName() == null && node != null && announced.mustBeAvoided(node)) {
                throw broken(
                        AVOIDED,
                        "pod %s is placed on node %s, whose reclaim is announced"
                                .formatted(ObjectStore.key(after), node));
            }
        }
    }

    private final class NodesSeen implements Watch<Node> {
        @Override
        public void changed(Node before, Node after) {
            if (isForReclaim(after) && !isForReclaim(before)) {
                isReal(
                        after,
                        "node %s is chosen for removal"
                                .formatted(after.getMetadata().getName()));
            }
            if (isRemovedAsBroken(after) && !isRemovedAsBroken(before)) {
                isBroken(after);
            }
            if (NodeFacts.isTerminationRequested(after)
                    && !NodeFacts.isTerminationRequested(before)
                    && isForReclaim(after)) {
                isReal(
                        after,
                        "the termination of machine %s begins"
                                .formatted(after.getMetadata().getName()));
            }
        }
    }
}
