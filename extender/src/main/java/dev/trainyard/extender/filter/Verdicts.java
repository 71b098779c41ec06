package dev.trainyard.extender.filter;

import dev.trainyard.extender.node.IndexedNode;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The filter's verdicts on the nodes of a question: each node is in one of the two lists. The lists are not copied, because there may be
 * thousands of nodes.
 *
 * @param passed in the order of the question
 * @param refused in the order of the question
 */
public record Verdicts(List<IndexedNode> passed, List<Refused> refused) {

    /** A node that the pod may not use. */
    public record Refused(IndexedNode node, FilterRefusal why) {}

    /** Whether all nodes were refused, and there was at least one. */
    public boolean leaveNone() {
        return passed.isEmpty() && !refused.isEmpty();
    }

    /** Returns how many nodes were refused for each reason. */
    public Map<FilterRefusal, Integer> counts() {
        var counts = new EnumMap<FilterRefusal, Integer>(FilterRefusal.class);
        refused.forEach(node -> counts.merge(node.why(), 1, Integer::sum));
        return counts;
    }

    /** Returns the same counts by the text of the reason. */
    public Map<String, Integer> histogram() {
        var histogram = new TreeMap<String, Integer>();
        counts().forEach((refusal, count) -> histogram.put(refusal.reason(), count));
        return histogram;
    }
}
