package dev.trainyard.scaler.observe;

import dev.trainyard.core.fit.Interests;
import dev.trainyard.core.pod.HostPort;
import dev.trainyard.core.pod.PodReader;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.RelationsReader;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

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

    /**
     * @param pods those that wait, and those that have a node; one that is malformed is nothing to others
     * @param namespaceLabels by namespace; empty for one that is not known
     */
    static Neighbours read(Collection<Pod> pods, Function<String, Optional<Map<String, String>>> namespaceLabels) {
        var relations = new HashMap<String, PodRelations>();
        var ports = new HashMap<String, Set<HostPort>>();
        for (var pod : pods) {
            var uid = pod.getMetadata().getUid();
            try {
                if (uid != null) {
                    relations.put(uid, RelationsReader.relationsOf(pod, namespaceLabels));
                    ports.put(uid, PodReader.hostPortsOf(pod));
                }
            } catch (RuntimeException e) {
                // Whoever reads its shape says what is wrong with it.
                relations.remove(uid);
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
