package dev.trainyard.scaler.observe;

import dev.trainyard.core.fit.ReferencedLabels;
import dev.trainyard.core.pod.HostPort;
import dev.trainyard.core.pod.PodRelations;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The relations between the pods of a round, and the host ports that the pods use. The relations are the inter-pod constraints and the pod
 * labels that these constraints refer to; all other labels are left out. Immutable.
 *
 * @param byUid relations and host ports by pod UID; pods without relations and without host ports are left out
 */
public record PodRelationsIndex(Map<String, Neighbour> byUid) {

    /** An index without pods. */
    public static final PodRelationsIndex NONE = new PodRelationsIndex(Map.of());

    /** The relations and host ports of one pod. */
    public record Neighbour(PodRelations relations, Set<HostPort> hostPorts) {

        /** A pod without relations to others and without host ports. */
        public static final Neighbour STRANGER = new Neighbour(PodRelations.NONE, Set.of());

        public Neighbour {
            hostPorts = Set.copyOf(hostPorts);
        }
    }

    public PodRelationsIndex {
        byUid = Map.copyOf(byUid);
    }

    /** Returns the relations and host ports of a pod. */
    public Neighbour of(String uid) {
        return byUid.getOrDefault(uid, Neighbour.STRANGER);
    }

    /** Returns the index of the given pods. Leaves out malformed pods, and pods that are neither pending nor on a node. */
    static PodRelationsIndex of(Collection<PodView> pods) {
        var relations = new HashMap<String, PodRelations>();
        var ports = new HashMap<String, Set<HostPort>>();
        for (var pod : pods) {
            if (pod.uid() != null && pod.neighbour().isPresent()) {
                relations.put(pod.uid(), pod.neighbour().get().relations());
                ports.put(pod.uid(), pod.neighbour().get().hostPorts());
            }
        }
        var interests = ReferencedLabels.of(relations.values());
        var byUid = new HashMap<String, Neighbour>();
        relations.forEach((uid, whole) -> {
            var neighbour = new Neighbour(interests.reduced(whole), ports.getOrDefault(uid, Set.of()));
            if (!neighbour.equals(Neighbour.STRANGER)) {
                byUid.put(uid, neighbour);
            }
        });
        return new PodRelationsIndex(byUid);
    }
}
