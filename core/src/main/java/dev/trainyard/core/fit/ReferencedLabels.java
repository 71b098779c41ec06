package dev.trainyard.core.fit;

import dev.trainyard.core.pod.LabelRequirement;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodSet;
import dev.trainyard.core.pod.PodTerm;
import dev.trainyard.core.pod.Selector;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The labels that the inter-pod constraints of one planning round refer to. All other labels are dropped, so that pods which differ only in
 * dropped labels are planned together. For example, each pod of an Indexed Job or a StatefulSet has a unique label. Not thread-safe.
 */
public final class ReferencedLabels {

    private final Set<PodSet> sets = new LinkedHashSet<>();
    private final PodSetIndex<PodSet> index = new PodSetIndex<>();
    private final Map<PodRelations, Set<String>> keysOfNamespaces = new HashMap<>();
    private final Set<String> namespaceKeys = new HashSet<>();

    private ReferencedLabels() {}

    /**
     * Returns the labels that the constraints of the pods refer to.
     *
     * @param pods the pods to place and the pods that have a node
     */
    public static ReferencedLabels of(Collection<PodRelations> pods) {
        var interests = new ReferencedLabels();
        for (var pod : pods) {
            pod.affinity().forEach(interests::add);
            pod.antiAffinity().forEach(interests::add);
            pod.spread().forEach(constraint -> interests.add(PodSet.in(pod.namespace(), constraint.selector())));
        }
        return interests;
    }

    private void add(PodTerm term) {
        add(term.pods());
    }

    private void add(PodSet set) {
        if (sets.add(set)) {
            index.add(set, set);
            keys(set.namespaceSelector(), namespaceKeys);
        }
    }

    /** Returns the pod with only the labels that constraints refer to; {@link PodRelations#NONE} if no constraint involves the pod. */
    public PodRelations reduced(PodRelations pod) {
        var looked = new boolean[1];
        index.forEach(pod, set -> looked[0] = true);
        if (looked[0]) {
            return pod.withLabels(only(pod.namespaceLabels(), namespaceKeys), only(pod.labels(), keysLookedAt(pod)));
        }
        return pod.demands() ? pod.withLabels(Map.of(), Map.of()) : PodRelations.NONE;
    }

    /** Returns the keys of the pod labels that constraints refer to in the pod's namespace. */
    private Set<String> keysLookedAt(PodRelations pod) {
        var anyOfNamespace = new PodRelations(
                pod.namespace(),
                pod.namespaceLabels(),
                Map.of(),
                PodRelations.NONE.affinity(),
                PodRelations.NONE.antiAffinity(),
                PodRelations.NONE.spread(),
                PodRelations.NONE.unmodelled());
        return keysOfNamespaces.computeIfAbsent(anyOfNamespace, any -> {
            var keys = new HashSet<String>();
            sets.stream().filter(set -> set.looksInto(any)).forEach(set -> keys(set.selector(), keys));
            return keys;
        });
    }

    private static void keys(Selector selector, Set<String> keys) {
        selector.requirements().stream().map(LabelRequirement::key).forEach(keys::add);
    }

    private static Map<String, String> only(Map<String, String> labels, Set<String> keys) {
        var kept = new HashMap<>(labels);
        kept.keySet().retainAll(keys);
        return kept;
    }
}
