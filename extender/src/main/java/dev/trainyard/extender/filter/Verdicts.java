package dev.trainyard.extender.filter;

import dev.trainyard.extender.node.IndexedNode;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the filter says of the nodes it was asked about: each stands in one of the two. They are handed over as they were made, without
 * copies: there may be thousands.
 *
 * @param passed in the order they were asked about
 * @param refused the same
 */
public record Verdicts(List<IndexedNode> passed, List<Refused> refused) {

    /** A node that the pod may not have. */
    public record Refused(IndexedNode node, Refusal why) {}

    /** Whether there were nodes and none is left. */
    public boolean leaveNone() {
        return passed.isEmpty() && !refused.isEmpty();
    }

    /** How many nodes were refused for each reason. */
    public Map<Refusal, Integer> counts() {
        var counts = new EnumMap<Refusal, Integer>(Refusal.class);
        refused.forEach(node -> counts.merge(node.why(), 1, Integer::sum));
        return counts;
    }

    /** The same, by the reason's words. */
    public Map<String, Integer> histogram() {
        var histogram = new TreeMap<String, Integer>();
        counts().forEach((refusal, count) -> histogram.put(refusal.reason(), count));
        return histogram;
    }
}
