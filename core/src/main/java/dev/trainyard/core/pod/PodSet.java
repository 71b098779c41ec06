package dev.trainyard.core.pod;

import java.util.Set;

/**
 * Pods that another pod looks for: those of some namespaces that a selector matches.
 *
 * @param namespaces by name
 * @param namespaceSelector by label; {@link Selector#NOTHING} when they are named only
 */
public record PodSet(Set<String> namespaces, Selector namespaceSelector, Selector selector) {

    public PodSet {
        namespaces = Set.copyOf(namespaces);
    }

    /** Those of one namespace. */
    public static PodSet in(String namespace, Selector selector) {
        return new PodSet(Set.of(namespace), Selector.NOTHING, selector);
    }

    public boolean contains(PodRelations pod) {
        return looksInto(pod) && selector.matches(pod.labels());
    }

    /** Whether the pod's namespace is one of those. */
    public boolean looksInto(PodRelations pod) {
        return namespaces.contains(pod.namespace()) || namespaceSelector.matches(pod.namespaceLabels());
    }
}
