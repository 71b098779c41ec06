package dev.trainyard.scaler.lifecycle;

import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.Removal;
import dev.trainyard.scaler.provider.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The next step for a node whose machine the cloud will reclaim, as announced. No limit and no mark holds these steps back, since the machine
 * goes anyway. Only disruption budgets do, because the API server decides on evictions. Once the node is empty, its machine is terminated,
 * so that the pool gets smaller by one machine. Otherwise an AWS group would replace the machine itself.
 */
final class AnnouncedReclaim {

    /** The time between two attempts to evict a pod before the deadline. */
    static final Duration RETRY = Duration.ofSeconds(2);

    private final NodeNotice notice;
    private final Instant now;

    AnnouncedReclaim(NodeNotice notice, Instant now) {
        this.notice = notice;
        this.now = now;
    }

    Verdict judge(NodeView node, Optional<Machine> machine) {
        var staying =
                node.trainingPods().stream().filter(pod -> !pod.terminating()).toList();
        var removal = node.marks()
                .removal()
                .filter(begun -> begun.reason() == Removal.Reason.RECLAIM_ANNOUNCED
                        && node.cordon().own());
        if (removal.isEmpty()) {
            return act(
                    node, "", new Verdict.Drain(new Removal(Removal.Reason.RECLAIM_ANNOUNCED, now), evicting(staying)));
        }
        if (!staying.isEmpty()) {
            return evict(node, staying);
        }
        if (!node.trainingPods().isEmpty()) {
            return keepUntil(
                    node,
                    "; pod %s is terminating".formatted(node.trainingPods().get(0)),
                    notice.expiry());
        }
        var settled = removal.get().since().plus(Draining.SETTLING);
        if (now.isBefore(settled)) {
            return keepUntil(node, "; the node was cordoned just now", settled);
        }
        return machine.map(m -> m.counts() || m.isHeld()
                        ? act(node, "", new Verdict.Terminate(m))
                        : keepUntil(node, "; its machine is being removed", notice.expiry()))
                .orElseGet(() -> keepUntil(node, "; its pool cannot be read", notice.expiry()));
    }

    /**
     * Returns the verdict on a node that stays, changed so that these pods leave the node with their gang. The notice is on the machine of
     * another member, which the cloud will reclaim, or which is broken.
     */
    Verdict judge(Verdict verdict, List<PodOnNode> members) {
        var node = verdict.node();
        var reason = "%s; pod %s leaves with its gang: %s".formatted(verdict.reason(), members.get(0), notice);
        return retry(node)
                .map(at -> Verdict.keepUntil(node, verdict.state(), reason, at))
                .orElseGet(() -> Verdict.act(node, verdict.state(), reason, evicting(members)));
    }

    private Verdict evict(NodeView node, List<PodOnNode> staying) {
        return retry(node)
                .map(at -> keepUntil(node, "; the eviction of pod %s was refused".formatted(staying.get(0)), at))
                .orElseGet(() -> act(node, "", evicting(staying)));
    }

    /** Returns when refused evictions are tried again; empty for at once. */
    private Optional<Instant> retry(NodeView node) {
        return node.marks()
                .refusals()
                .map(refusals ->
                        now.isBefore(notice.deadline()) ? refusals.last().plus(RETRY) : refusals.next())
                .filter(now::isBefore);
    }

    private Verdict.Evict evicting(List<PodOnNode> pods) {
        return new Verdict.Evict(pods, Optional.of(notice).filter(NodeNotice::isReclaim));
    }

    private Verdict act(NodeView node, String more, Verdict.Step step) {
        return Verdict.act(node, NodeState.RECLAIM_ANNOUNCED, notice + more, step);
    }

    private Verdict keepUntil(NodeView node, String more, Instant recheck) {
        return Verdict.keepUntil(node, NodeState.RECLAIM_ANNOUNCED, notice + more, recheck);
    }
}
