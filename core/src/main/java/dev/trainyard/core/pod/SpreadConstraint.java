package dev.trainyard.core.pod;

/**
 * A topology spread constraint that must be kept ({@code whenUnsatisfiable: DoNotSchedule}). It counts pods of the pod's own namespace.
 *
 * @param maxSkew by how many pods a domain may be ahead of the emptiest
 * @param minDomains while there are fewer domains than that, the emptiest counts as having no pods; at least 1
 * @param honoursAffinity whether only nodes count that the pod's node selector and required node affinity allow
 * @param honoursTaints whether only nodes count whose taints the pod tolerates
 */
public record SpreadConstraint(
        String topologyKey,
        Selector selector,
        int maxSkew,
        int minDomains,
        boolean honoursAffinity,
        boolean honoursTaints) {}
