package dev.trainyard.scaler;

import dev.trainyard.scaler.lifecycle.Verdict;
import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.PoolView;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
            if (isPuzzling(verdict, now)) {
                standing.put(verdict.node().name(), "%s: %s".formatted(verdict.state(), verdict.reason()));
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
