package dev.trainyard.extender.filter;

import dev.trainyard.extender.node.IndexedNode;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The filter's verdicts on the nodes of a request. The passed nodes are all that passed, or only the chosen one. The lists are not copied,
 * because there may be thousands of nodes.
 *
 * @param passed the nodes that the pod may use, or only the chosen one, in the order of the request
 * @param refused the nodes that the pod may not use, in the order of the request
 */
public record Verdicts(List<IndexedNode> passed, List<Refused> refused) {

    /** A node that the pod may not use. */
    public record Refused(IndexedNode node, FilterRefusal why) {}

    /** Whether there was at least one node and all nodes were refused. */
    public boolean leaveNone() {
        return passed.isEmpty() && !refused.isEmpty();
    }

    /** Returns how many nodes were refused for each reason. */
    public Map<FilterRefusal, Integer> counts() {
        var counts = new EnumMap<FilterRefusal, Integer>(FilterRefusal.class);
        refused.forEach(node -> counts.merge(node.why(), 1, Integer::sum));
        return counts;
    }

    /** Returns how many nodes were refused for each reason, by the text of the reason. */
    public Map<String, Integer> histogram() {
        var histogram = new TreeMap<String, Integer>();
        counts().forEach((refusal, count) -> histogram.put(refusal.reason(), count));
        return histogram;
    }
}
