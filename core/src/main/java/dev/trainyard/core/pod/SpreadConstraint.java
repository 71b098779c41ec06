package dev.trainyard.core.pod;

/**
 * A topology spread constraint that must be satisfied ({@code whenUnsatisfiable: DoNotSchedule}). It counts pods of the pod's own namespace.
 *
 * @param maxSkew the most pods that a domain may have in excess of the emptiest domain
 * @param minDomains if there are fewer domains, the emptiest domain counts as having no pods; at least 1
 * @param honoursAffinity whether only the nodes count that the pod's node selector and required node affinity allow
 * @param honoursTaints whether only the nodes count whose taints the pod tolerates
 */
public record SpreadConstraint(
        String topologyKey,
        Selector selector,
        int maxSkew,
        int minDomains,
        boolean honoursAffinity,
        boolean honoursTaints) {}
