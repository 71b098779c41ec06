package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * The offers of room on nodes to pending pods. An offer is a plan's statement that a node has room for a pod. If the scheduler does not use
 * an offer in time, the pod counts as passed over. Something that the planner does not model then keeps the pod from the node, so another
 * machine would not help. Offers are kept in memory only: after a restart, each pod is offered room once more. Not thread-safe.
 */
public final class Offers {

    /**
     * How long an offer may stay unused before the pod counts as passed over. A scheduler retries a pod within seconds of a node's change.
     */
    private static final Duration TAKEN_UP = Duration.ofSeconds(30);

    /** How long a pod counts as passed over. After that, machines may be requested for the pod again, since its obstacle may be gone. */
    static final Duration RETRY = Duration.ofMinutes(30);

    private record Offer(String node, Instant at) {}

    private final Map<String, Offer> standing = new HashMap<>();
    private final Map<String, Offer> passedOver = new HashMap<>();

    /** Returns the pods that count as passed over, and the node that was offered to each: names of nodes by pod UID. */
    public Map<String, String> passedOver(Instant now) {
        passedOver.values().removeIf(offer -> !now.isBefore(offer.at().plus(RETRY)));
        var nodes = new HashMap<String, String>();
        passedOver.forEach((uid, offer) -> nodes.put(uid, offer.node()));
        return nodes;
    }

    /**
     * Records the offers of a round's plan. An offer starts in the first round in which its node accepts pods. A node that the scaler is
     * removing does not accept pods, since a taint and the scheduler extender keep pods off the node. A node that pods leave with their gang
     * may have no room yet.
     *
     * @param snapshot the snapshot that the plan was made for
     * @return the pods that count as passed over from this round on, and the node that was offered to each: names of nodes by pod UID
     */
    public Map<String, String> made(Plan plan, Snapshot snapshot) {
        var now = snapshot.now();
        var takers = snapshot.takers();
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
