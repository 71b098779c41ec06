package dev.trainyard.core.pod;

import java.util.Set;

/**
 * The pods that a constraint of another pod refers to: the pods in certain namespaces whose labels match a selector.
 *
 * @param namespaces names of namespaces
 * @param namespaceSelector selector of further namespaces by label; {@link Selector#NOTHING} if there are none
 */
public record PodSet(Set<String> namespaces, Selector namespaceSelector, Selector selector) {

    public PodSet {
        namespaces = Set.copyOf(namespaces);
    }

    /** Returns the matching pods of one namespace. */
    public static PodSet in(String namespace, Selector selector) {
        return new PodSet(Set.of(namespace), Selector.NOTHING, selector);
    }

    public boolean contains(PodRelations pod) {
        return looksInto(pod) && selector.matches(pod.labels());
    }

    /** Whether the set covers the namespace of {@code pod}. */
    public boolean looksInto(PodRelations pod) {
        return namespaces.contains(pod.namespace()) || namespaceSelector.matches(pod.namespaceLabels());
    }
}
