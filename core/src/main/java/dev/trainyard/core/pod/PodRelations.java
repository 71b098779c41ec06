package dev.trainyard.core.pod;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The properties of a pod that inter-pod constraints depend on: the labels that other pods' constraints match, and the pod's own
 * constraints.
 *
 * @param namespaceLabels labels of the pod's namespace; empty if they are not known, because kube-scheduler also uses no labels in this
 *     case
 * @param affinity required terms; for each term, a matching pod must run in the same domain
 * @param antiAffinity required terms; no pod that matches a term may run in the same domain
 * @param spread constraints; each must be satisfied
 * @param unmodelled descriptions of the constraints that are ignored because they cannot be evaluated
 */
public record PodRelations(
        String namespace,
        Map<String, String> namespaceLabels,
        Map<String, String> labels,
        List<PodTerm> affinity,
        List<PodTerm> antiAffinity,
        List<SpreadConstraint> spread,
        SortedSet<String> unmodelled) {

    /** The relations of a pod that no inter-pod constraint involves. */
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

    /** Whether the pod has inter-pod constraints, including ignored ones. */
    public boolean demands() {
        return !(affinity.isEmpty() && antiAffinity.isEmpty() && spread.isEmpty() && unmodelled.isEmpty());
    }

    /** Returns these relations with other labels. */
    public PodRelations withLabels(Map<String, String> ofNamespace, Map<String, String> ofPod) {
        return new PodRelations(namespace, ofNamespace, ofPod, affinity, antiAffinity, spread, unmodelled);
    }
}
