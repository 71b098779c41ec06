package dev.trainyard.scaler;

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
 * Knows which nodes stay although a user would expect them to go, and of which of them that has been said. A reason is news when it is not
 * the one that was last said of the node. Not thread-safe.
 */
final class Stays {

    /** A restart says everything anew: not all of it in one round. */
    static final int AT_ONCE = 20;

    private final Map<String, String> said = new HashMap<>();

    /** What is to be said of nodes now, in words by node: at most {@link #AT_ONCE}, the rest in the rounds to come. */
    Map<String, String> news(List<Verdict> verdicts, Instant now) {
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

    /** Of one that hangs: what its author sees is a pod that is terminating, and a machine that stays. */
    private static Optional<String> overdue(NodeView node, Instant now) {
        return node.pods().stream()
                .flatMap(pod -> pod
                        .overdue(now)
                        .map(words -> words
                                + ": its kubelet does not say so, or a finalizer holds it. The pod does not keep the machine after "
                                + pod.endsBy().orElse(now).plus(PodOnNode.STUCK))
                        .stream())
                .findFirst();
    }

    private static Optional<String> damage(NodeView node) {
        return node.damage().map("%s: what is left is used, and its machine is removed when it is idle"::formatted);
    }

    private static boolean isLasting(NodeView node, Instant now) {
        var since = node.marks().underUtilizedSince();
        return node.pool()
                .flatMap(pool -> since.map(start -> PoolView.after(start, pool.idleAfter())))
                .filter(until -> !now.isBefore(until))
                .isPresent();
    }

    private static boolean isPuzzling(Verdict verdict, Instant now) {
        if (!(verdict.step() instanceof Verdict.Keep)) {
            return false;
        }
        var node = verdict.node();
        return switch (verdict.state()) {
            case LAUNCH_TIMEOUT, DEAD, EVICTED, ORPHANED -> true;
            // Anybody's machine may be little used for a while.
            case UNDER_UTILIZED_UNDRAINABLE -> isLasting(node, now);
            // It has to go, and nobody is leaving.
            case DRAINING -> node.trainingPods().stream().noneMatch(pod -> pod.terminating() && !pod.isOverdue(now));
            case CORDONED_BY_OPERATOR -> node.idleSince().isPresent();
            // A pool's by its labels, and on none of its machines.
            case UNMANAGED -> node.pool().isPresent();
            default -> false;
        };
    }
}
