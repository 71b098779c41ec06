package dev.trainyard.scaler.observe;

import dev.trainyard.core.fit.Interests;
import dev.trainyard.core.pod.HostPort;
import dev.trainyard.core.pod.PodRelations;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What the pods of a round are to each other, and what ports of their nodes they hold. Labels that nobody looks at are left out. Immutable.
 *
 * @param byUid pods that are nothing to any other are left out
 */
public record Neighbours(Map<String, Neighbour> byUid) {

    /** Of no pods. */
    public static final Neighbours NONE = new Neighbours(Map.of());

    /** One pod. */
    public record Neighbour(PodRelations relations, Set<HostPort> hostPorts) {

        /** Of a pod that no other has anything to do with. */
        public static final Neighbour STRANGER = new Neighbour(PodRelations.NONE, Set.of());

        public Neighbour {
            hostPorts = Set.copyOf(hostPorts);
        }
    }

    public Neighbours {
        byUid = Map.copyOf(byUid);
    }

    /** What is known of a pod. */
    public Neighbour of(String uid) {
        return byUid.getOrDefault(uid, Neighbour.STRANGER);
    }

    /** Of pods that wait, and of those that have a node. */
    static Neighbours of(Collection<PodView> pods) {
        var relations = new HashMap<String, PodRelations>();
        var ports = new HashMap<String, Set<HostPort>>();
        for (var pod : pods) {
            if (pod.uid() != null && pod.neighbour().isPresent()) {
                relations.put(pod.uid(), pod.neighbour().get().relations());
                ports.put(pod.uid(), pod.neighbour().get().hostPorts());
            }
        }
        var interests = Interests.of(relations.values());
        var byUid = new HashMap<String, Neighbour>();
        relations.forEach((uid, whole) -> {
            var neighbour = new Neighbour(interests.reduced(whole), ports.getOrDefault(uid, Set.of()));
            if (!neighbour.equals(Neighbour.STRANGER)) {
                byUid.put(uid, neighbour);
            }
        });
        return new Neighbours(byUid);
    }
}
