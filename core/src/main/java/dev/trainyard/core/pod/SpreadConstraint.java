package dev.trainyard.core.pod;

/**
 * A topology spread constraint that must be satisfied ({@code whenUnsatisfiable: DoNotSchedule}). Only pods in the pod's own namespace
 * count.
 *
 * @param maxSkew the most pods that a domain may have in excess of the emptiest domain
 * @param minDomains the wanted number of domains, at least 1; if there are fewer domains, the emptiest domain counts as having no pods
 * @param honoursAffinity whether a node counts only if the pod's node selector and required node affinity allow the node
 * @param honoursTaints whether a node counts only if the pod tolerates the node's taints
 */
public record SpreadConstraint(
        String topologyKey,
        Selector selector,
        int maxSkew,
        int minDomains,
        boolean honoursAffinity,
        boolean honoursTaints) {}
