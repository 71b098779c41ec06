package dev.trainyard.core.fit;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pod.HostPort;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A node, or a machine that does not exist yet, in a {@link PodTopology}. The site is valid only in the topology that created it. */
public final class Site {

    /** The host name of a site that only adds topology domains: see {@link PodTopology#promise}. No pod is placed at such a site. */
    static final String NO_HOST = "(no host)";

    final NodeShape node;
    /** The number of sites that were added earlier. */
    final int index;

    /** Whether the site may have a label of a given key, in addition to the known labels. */
    private final Predicate<String> mayHave;

    private final Map<String, String> labels;
    private final Map<HostPort, Integer> ports = new HashMap<>();

    Site(NodeShape node, Map<String, String> labels, int index, Predicate<String> mayHave) {
        this.node = node;
        this.labels = labels;
        this.index = index;
        this.mayHave = mayHave;
    }

    /** Returns the site's value of a topology label; null if the site has no such label. */
    @Nullable
    String domain(String topologyKey) {
        return labels.get(topologyKey);
    }

    /** Whether the site lacks a topology label but may still get it, so that its domain is not known yet. */
    boolean isUnknownIn(String topologyKey) {
        return !labels.containsKey(topologyKey) && mayHave.test(topologyKey);
    }

    Map<String, String> labels() {
        return labels;
    }

    void use(Set<HostPort> taken, int change) {
        for (var port : taken) {
            ports.merge(port, change, (before, more) -> before + more == 0 ? null : before + more);
        }
    }

    boolean hasFree(Set<HostPort> wanted) {
        for (var port : wanted) {
            for (var used : ports.keySet()) {
                if (port.conflictsWith(used)) {
                    return false;
                }
            }
        }
        return true;
    }
}
