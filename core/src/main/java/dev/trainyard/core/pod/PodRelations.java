package dev.trainyard.core.pod;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a pod is to other pods: what they may look for in it, and what it looks for in them.
 *
 * @param namespaceLabels of its namespace; empty when they are not known, which is what the scheduler assumes too
 * @param affinity required: all of them must have a pod near
 * @param antiAffinity required: none of them may have a pod near
 * @param spread all must be kept
 * @param unmodelled demands that were left out because nobody knows what they mean, in words for people
 */
public record PodRelations(
        String namespace,
        Map<String, String> namespaceLabels,
        Map<String, String> labels,
        List<PodTerm> affinity,
        List<PodTerm> antiAffinity,
        List<SpreadConstraint> spread,
        SortedSet<String> unmodelled) {

    /** Of a pod that is nothing to others and wants nothing of them. */
    public static final PodRelations NONE =
            new PodRelations("", Map.of(), Map.of(), List.of(), List.of(), List.of(), Collections.emptySortedSet());

    public PodRelations {
        namespaceLabels = Map.copyOf(namespaceLabels);
        labels = Map.copyOf(labels);
        affinity = List.copyOf(affinity);
        antiAffinity = List.copyOf(antiAffinity);
        spread = List.copyOf(spread);
        unmodelled = Collections.unmodifiableSortedSet(new TreeSet<>(unmodelled));
    }

    /** Whether other pods decide where it may be, as far as anybody knows. */
    public boolean demands() {
        return !(affinity.isEmpty() && antiAffinity.isEmpty() && spread.isEmpty() && unmodelled.isEmpty());
    }

    /** The same, with no more than these labels to look at. */
    public PodRelations withLabels(Map<String, String> ofNamespace, Map<String, String> ofPod) {
        return new PodRelations(namespace, ofNamespace, ofPod, affinity, antiAffinity, spread, unmodelled);
    }
}
