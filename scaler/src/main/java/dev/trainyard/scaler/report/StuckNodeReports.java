package dev.trainyard.scaler.report;

import dev.trainyard.core.node.NodeNotice;
import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PodOnNode;
import dev.trainyard.scaler.observe.PoolView;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A detector of nodes that are not removed although a user would expect their removal. A reason is reported only if it differs from the
 * last reported reason for the node. Also reports pods that do not end, and lost parts of nodes, such as GPUs. Not thread-safe.
 */
public final class StuckNodeReports {

    /** The maximum number of reports in one round. After a restart, all reasons count as new. */
    public static final int AT_ONCE = 20;

    private final Map<String, String> said = new HashMap<>();

    /** Returns the new reasons by node, at most {@link #AT_ONCE}. Later calls return the remaining reasons. */
    public Map<String, String> news(List<Verdict> verdicts, Instant now) {
        var standing = new HashMap<String, String>();
        for (var verdict : verdicts) {
            var node = verdict.node();
            if (isPuzzling(verdict, now)) {
                standing.put(node.name(), "%s: %s".formatted(verdict.state(), verdict.reason()));
            } else if (node.pool().isPresent() && node.ready()) {
                overdue(node, now).or(() -> damage(node)).ifPresent(words -> standing.put(node.name(), words));
            }
        }
        said.keySet().retainAll(standing.keySet());
        var news = new HashMap<String, String>();
        standing.forEach((node, reason) -> {
            if (news.size() < AT_ONCE && !reason.equals(said.get(node))) {
                news.put(node, reason);
            }
        });
        said.putAll(news);
        return news;
    }

    /**
     * Returns a message about a pod that should have ended by now. The message also says when the pod no longer keeps its machine. Empty if
     * there is no such pod.
     */
    private static Optional<String> overdue(NodeView node, Instant now) {
        return node.pods().stream()
                .flatMap(pod -> pod
                        .overdue(now)
                        .map(words -> words
                                + ": its kubelet has not reported the end, or a finalizer holds the pod. The pod does not keep the machine after "
                                + pod.endsBy().orElse(now).plus(PodOnNode.STUCK))
                        .stream())
                .findFirst();
    }

    private static Optional<String> damage(NodeView node) {
        return node.damage()
                .map(damage -> node.notice()
                        .filter(notice -> notice.kind() == NodeNotice.Kind.SUSPECT)
                        .map(notice -> "%s: pods can still use the node; %s".formatted(damage, notice))
                        .orElseGet(() ->
                                "%s: pods can still use the node, and its machine is removed when the node is idle"
                                        .formatted(damage)));
    }

    private static boolean isLasting(NodeView node, Instant now) {
        var since = node.marks().underUtilizedSince();
        return node.pool()
                .flatMap(pool -> since.map(start -> PoolView.after(start, pool.idleAfter())))
                .filter(until -> !now.isBefore(until))
                .isPresent();
    }

    private static boolean isStuck(NodeView node, Instant now) {
        return node.trainingPods().stream().noneMatch(pod -> pod.terminating() && !pod.isOverdue(now));
    }

    private static boolean isPuzzling(Verdict verdict, Instant now) {
        if (!(verdict.step() instanceof Verdict.Keep)) {
            return false;
        }
        var node = verdict.node();
        return switch (verdict.state()) {
            case LAUNCH_TIMEOUT, DEAD, EVICTED, ORPHANED -> true;
            // Reported only if the low utilization lasts.
            case UNDER_UTILIZED_UNDRAINABLE -> isLasting(node, now);
            // Reported only if the drain makes no progress: no pod is being deleted within its grace period.
            case DRAINING -> isStuck(node, now);
            case SICK -> !node.trainingPods().isEmpty() && isStuck(node, now);
            case CORDONED_BY_OPERATOR -> node.idleSince().isPresent();
            // The node's labels name a pool, but the node is on none of the pool's machines.
            case UNMANAGED -> node.pool().isPresent();
            default -> false;
        };
    }
}
