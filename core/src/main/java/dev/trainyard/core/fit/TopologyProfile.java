package dev.trainyard.core.fit;

import java.util.Map;
import java.util.Set;

/**
 * The properties of a site that inter-pod constraints depend on, apart from its host name, its pods and their host ports. Constraints treat
 * sites with equal profiles alike. Immutable.
 *
 * @param domains the site's values of the topology labels that any constraint refers to, by key
 * @param unknown keys of topology labels that a constraint refers to, and that the site lacks but may still get
 * @param extents the extents of spread constraints that include the site
 */
public record TopologyProfile(Map<String, String> domains, Set<String> unknown, Set<Object> extents) {

    public TopologyProfile {
        domains = Map.copyOf(domains);
        unknown = Set.copyOf(unknown);
        extents = Set.copyOf(extents);
    }
}
