package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Which pods the scheduler leaves waiting although a node has room for them, as far as the planner can tell. What holds them back is
 * something that the planner does not model, so that no machine helps them. Lives as long as the process: after a restart each of them is
 * offered room once more. Not thread-safe.
 */
public final class Offers {

    /** A scheduler retries a pod within seconds of a node's change. */
    private static final Duration TAKEN_UP = Duration.ofSeconds(30);

    /** So long after its node is gone a pod may be bought for again: what held it back may have passed. */
    static final Duration RETRY = Duration.ofMinutes(30);

    private record Offer(String node, Instant at) {}

    private final Map<String, Offer> standing = new HashMap<>();
    private final Map<String, Offer> passedOver = new HashMap<>();

    /** By pod uid: the node that it was not bound to. */
    public Map<String, String> passedOver(Instant now) {
        passedOver.values().removeIf(offer -> !now.isBefore(offer.at().plus(RETRY)));
        var nodes = new HashMap<String, String>();
        passedOver.forEach((uid, offer) -> nodes.put(uid, offer.node()));
        return nodes;
    }

    /**
     * Takes note of a round's plan. An offer stands from the round in which its node takes pods: while the
     * scaler removes it, its taint and the extender keep them off.
     *
     * @param snapshot what the plan was made for
     * @return by pod uid: nodes of which it has turned out now that the scheduler leaves the pod waiting all the same
     */
    public Map<String, String> made(Plan plan, Snapshot snapshot) {
        var now = snapshot.now();
        var takers = snapshot.nodes().stream()
                .filter(NodeView::takesPods)
                .map(NodeView::name)
                .collect(Collectors.toSet());
        var news = new HashMap<String, String>();
        standing.keySet().retainAll(plan.outcomes().keySet());
        passedOver.keySet().retainAll(plan.outcomes().keySet());
        plan.outcomes().forEach((uid, outcome) -> {
            if (!(outcome instanceof Outcome.OnNode offered) || !takers.contains(offered.node())) {
                standing.remove(uid);
                return;
            }
            var offer = standing.get(uid);
            if (offer == null || !offer.node().equals(offered.node())) {
                offer = new Offer(offered.node(), now);
                standing.put(uid, offer);
            }
            if (!now.isBefore(offer.at().plus(TAKEN_UP))) {
                standing.remove(uid);
                passedOver.put(uid, new Offer(offered.node(), now));
                news.put(uid, offered.node());
            }
        });
        return news;
    }
}
