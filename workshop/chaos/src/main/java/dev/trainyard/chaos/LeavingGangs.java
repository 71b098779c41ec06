package dev.trainyard.chaos;

import dev.trainyard.core.pod.PodReader;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.NoticeSign;
import dev.trainyard.simulation.cluster.Pods;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.MalformedObjects;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The invariants of gangs whose members leave together before a reclaim, or because a machine is broken ({@code gangsLeaveTogether} of a
 * tier).
 */
final class LeavingGangs {

    private static final String TOGETHER = "the members of a gang leave in one round";
    private static final String ONLY_GANGS = "only gangs that leave together are evicted from machines that stay";

    /** The tolerance of times, because Kubernetes stores whole seconds. */
    private static final Duration ABOUT = Duration.ofSeconds(5);

    private final World world;
    private final AnnouncedNodes announced;
    /** When a member of a gang last was on a machine that may be emptied because of a sign, by gang, in nanoseconds of the run. */
    private final Map<String, Long> last = new HashMap<>();
    /** The UIDs of the pods whose eviction was requested in the current round. */
    private final Set<String> asked = new HashSet<>();

    LeavingGangs(World world, AnnouncedNodes announced) {
        this.world = world;
        this.announced = announced;
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
    }

    /** Whether the pod may leave its node because another member of its gang has to leave, or had to a while ago. */
    boolean mayLeave(Pod pod) {
        var gang = together(pod);
        if (gang.isEmpty()) {
            return false;
        }
        for (var member : world.server().pods().all()) {
            if (gang.equals(together(member))) {
                note(member);
            }
        }
        var at = last.get(gang.get());
        return at != null && world.time().nanos() - at <= AnnouncedNodes.LATE.toNanos();
    }

    /** Whether the pod may have annotations of a notice or of a recommendation on the machine of another member of its gang. */
    boolean hasNotice(Pod pod) {
        var gang = together(pod);
        return gang.isPresent()
                && world.server().pods().all().stream()
                        .filter(member -> gang.equals(together(member)))
                        .flatMap(member -> Optional.ofNullable(member.getSpec().getNodeName()).stream())
                        .anyMatch(this::hasNotice);
    }

    /**
     * Whether the node may have a notice or a recommendation. A node whose machine belongs to no pool always counts, without a check of its
     * signs: its machine may have lost GPUs, which {@link AnnouncedNodes} does not record for such nodes.
     */
    private boolean hasNotice(String node) {
        return world.poolOf(node).isEmpty()
                || announced.isUnderNotice(node)
                || announced.mayBeBroken(node)
                || announced.isAnnouncedForLater(node)
                || world.server().nodes().get(node).stream()
                        .anyMatch(found -> NoticeSign.RECOMMENDATIONS.stream().anyMatch(sign -> sign.isOn(found)));
    }

    /** Records an eviction by the scaler. */
    void evicts(PodOnNode pod) {
        asked.add(pod.uid());
        world.server().pods().get(pod.namespace() + "/" + pod.name()).ifPresent(this::note);
    }

    /** Forgets the evictions of a process that has ended. */
    void leads() {
        asked.clear();
    }

    /** Checks the evictions of a round. */
    void ended(Round.Result round) {
        for (var verdict : round.verdicts()) {
            if (verdict.node().leaveNotice().isPresent()) {
                NoticeInvariants.evictions(verdict.step())
                        .forEach(pod -> beginning(verdict.node())
                                .ifPresent(beginning -> leavesWithGang(pod, beginning, round)));
            } else if (verdict.node().marks().removal().isEmpty()
                    && !announced.mayBeBroken(verdict.node().name())) {
                NoticeInvariants.evictions(verdict.step()).forEach(pod -> mayLeaveMachineThatStays(pod, verdict));
            }
        }
        asked.clear();
    }

    private void mayLeaveMachineThatStays(PodOnNode evicted, Verdict verdict) {
        if (find(evicted).filter(pod -> together(pod).isEmpty()).isPresent()) {
            throw broken(
                    ONLY_GANGS,
                    "pod %s is evicted, but its node %s stays, and it belongs to no gang that leaves together"
                            .formatted(evicted, verdict.node().name()));
        }
    }

    /**
     * Returns when pods began to leave the node: at the notice of a reclaim, or when the replacement of a broken machine began; empty if that
     * is unknown.
     */
    private Optional<Instant> beginning(NodeView node) {
        return node.reclaim().isPresent()
                ? announced.appeared(node.name())
                : Optional.of(node.marks()
                        .removal()
                        .map(Removal::since)
                        .orElse(world.time().instant()));
    }

    /** Checks that all members leave whose eviction nothing prevents, and that the scaler must know. */
    private void leavesWithGang(PodOnNode evicted, Instant beginning, Round.Result round) {
        var gang = find(evicted).filter(pod -> asked.contains(evicted.uid())).flatMap(this::together);
        if (gang.isEmpty()) {
            return;
        }
        for (var verdict : round.verdicts()) {
            boolean free = verdict.step() instanceof Verdict.Keep || verdict.step() instanceof Verdict.Evict;
            if (free
                    && verdict.node().pool().isPresent()
                    && verdict.node().marks().refusals().isEmpty()
                    && !verdict.node().terminating()) {
                verdict.node().trainingPods().stream()
                        .filter(seen -> !seen.terminating() && !isEvicted(seen, verdict.step()))
                        .filter(seen -> find(seen)
                                .filter(pod -> gang.equals(together(pod)) && isOlder(pod, beginning))
                                .isPresent())
                        .findFirst()
                        .ifPresent(seen -> {
                            throw broken(
                                    TOGETHER,
                                    "pod %s is evicted because of a notice, but not pod %s of the same gang on node %s"
                                            .formatted(
                                                    evicted,
                                                    seen,
                                                    verdict.node().name()));
                        });
            }
        }
    }

    /** Whether the step evicts the pod. The API server may refuse the request before anybody sees it. */
    private static boolean isEvicted(PodOnNode seen, Verdict.Step step) {
        return NoticeInvariants.evictions(step).stream()
                .anyMatch(pod -> pod.uid().equals(seen.uid()));
    }

    private static boolean isOlder(Pod pod, Instant notice) {
        var created = pod.getMetadata().getCreationTimestamp();
        return pod.getMetadata().getDeletionTimestamp() == null
                && created != null
                && Instant.parse(created).plus(ABOUT).isBefore(notice);
    }

    private Optional<Pod> find(PodOnNode seen) {
        return world.server()
                .pods()
                .get(seen.namespace() + "/" + seen.name())
                .filter(pod -> seen.uid().equals(pod.getMetadata().getUid()));
    }

    /** Returns the gang of a pod that a controller creates again, if the gang's members leave together. */
    private Optional<String> together(Pod pod) {
        boolean counts = !MalformedObjects.isOdd(pod)
                && !Pods.ended(pod)
                && !Optional.ofNullable(pod.getMetadata().getOwnerReferences())
                        .orElse(List.of())
                        .isEmpty();
        return CompleteGangs.gang(pod)
                .filter(gang -> counts)
                .filter(gang -> Optional.ofNullable(PodReader.tier(pod))
                        .flatMap(world.server().tiers()::get)
                        .filter(tier -> Boolean.TRUE.equals(tier.getSpec().gangsLeaveTogether()))
                        .isPresent());
    }

    private void note(Pod pod) {
        var node = pod.getSpec().getNodeName();
        if (node != null && announced.mayBeEmptied(node)) {
            together(pod).ifPresent(gang -> last.put(gang, world.time().nanos()));
        }
    }

    private InvariantViolation broken(String invariant, String how) {
        return new InvariantViolation(invariant, world.time().elapsed(), how);
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void changed(Pod before, Pod after) {
            note(before);
        }

        @Override
        public void removed(Pod pod) {
            note(pod);
        }
    }
}
