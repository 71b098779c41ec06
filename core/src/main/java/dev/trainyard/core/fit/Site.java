package dev.trainyard.core.fit;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pod.HostPort;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A node or a machine to come, as a {@link Neighbourhood} knows it. Belongs to the one that made it. */
public final class Site {

    /** In place of the name of a host, where it stands for none: there is no pod on it, and there will be none. */
    static final String NO_HOST = "(no host)";

    final NodeShape node;
    /** How many sites there were before it. */
    final int index;

    /** Labels that it may have besides those that are known. */
    private final Predicate<String> mayHave;

    private final Map<String, String> labels;
    private final Map<HostPort, Integer> ports = new HashMap<>();

    Site(NodeShape node, Map<String, String> labels, int index, Predicate<String> mayHave) {
        this.node = node;
        this.labels = labels;
        this.index = index;
        this.mayHave = mayHave;
    }

    /** The part of the topology that it is in; null when it has no such label. */
    @Nullable
    String domain(String topologyKey) {
        return labels.get(topologyKey);
    }

    /** Whether nobody can tell in which part of that topology it will be. */
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
