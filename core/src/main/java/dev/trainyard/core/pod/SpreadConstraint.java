package dev.trainyard.core.pod;

/**
 * A topology spread constraint that must be satisfied ({@code whenUnsatisfiable: DoNotSchedule}). The constraint counts only pods in the
 * namespace of the constrained pod.
 *
 * @param maxSkew the most pods that a domain may have in excess of the emptiest domain
 * @param minDomains the wanted number of domains, at least 1; if there are fewer domains, the emptiest domain counts as having no pods
 * @param honoursAffinity whether to ignore nodes that the pod's node selector or required node affinity excludes
 * @param honoursTaints whether to ignore nodes whose taints the pod does not tolerate
 */
public record SpreadConstraint(
        String topologyKey,
        Selector selector,
        int maxSkew,
        int minDomains,
        boolean honoursAffinity,
        boolean honoursTaints) {}
