package dev.trainyard.extender.filter;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the filter says of the nodes it was asked about: each stands in one of the two.
 *
 * @param passed in the order they were asked about
 */
public record Verdicts(List<String> passed, Map<String, Refusal> refused) {

    public Verdicts {
        passed = List.copyOf(passed);
        refused = Collections.unmodifiableMap(new LinkedHashMap<>(refused));
    }

    /** Whether there were nodes and none is left. */
    public boolean leaveNone() {
        return passed.isEmpty() && !refused.isEmpty();
    }

    /** The reason of each refused node, in words. */
    public Map<String, String> reasons() {
        var reasons = new LinkedHashMap<String, String>();
        refused.forEach((node, refusal) -> reasons.put(node, refusal.reason()));
        return reasons;
    }

    /** How many nodes were refused for each reason. */
    public Map<String, Integer> histogram() {
        var histogram = new TreeMap<String, Integer>();
        refused.values().forEach(refusal -> histogram.merge(refusal.reason(), 1, Integer::sum));
        return histogram;
    }
}
