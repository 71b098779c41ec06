package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The pods that the scheduler leaves pending although a node has room for them by the planner's model. The planner does not model what holds
 * them back, so no machine helps them. Kept in memory only: after a restart each of these pods is offered room once more. Not thread-safe.
 */
public final class Offers {

    /** How long an offer may stay unused. A scheduler retries a pod within seconds of a node's change. */
    private static final Duration TAKEN_UP = Duration.ofSeconds(30);

    /** How long a pod counts as passed over. After that, machines may be requested for it again, since its obstacle may be gone. */
    static final Duration RETRY = Duration.ofMinutes(30);

    private record Offer(String node, Instant at) {}

    private final Map<String, Offer> standing = new HashMap<>();
    private final Map<String, Offer> passedOver = new HashMap<>();

    /** Returns, by pod uid, the node to which the scheduler did not bind the pod. */
    public Map<String, String> passedOver(Instant now) {
        passedOver.values().removeIf(offer -> !now.isBefore(offer.at().plus(RETRY)));
        var nodes = new HashMap<String, String>();
        passedOver.forEach((uid, offer) -> nodes.put(uid, offer.node()));
        return nodes;
    }

    /**
     * Records the offers of a round's plan. An offer starts in the first round in which its node accepts pods. While the scaler removes a node,
     * its taint and the extender keep pods off.
     *
     * @param snapshot the snapshot that the plan was made for
     * @return by pod uid: the nodes that were found in this round to be passed over by the scheduler
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
