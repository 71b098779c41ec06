package dev.trainyard.workshop.demo;

import dev.trainyard.core.Names;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A record of how gangs got their nodes. Reads gangs from Trainyard's annotations and from JobSet's labels, without Trainyard's own reading
 * of gangs. Thread-safe.
 */
public final class GangPlacements {

    private static final String JOB_SET = "jobset.sigs.k8s.io/jobset-name";

    private record GangName(String namespace, String name) {}

    private final Map<GangName, Set<String>> reserved = new HashMap<>(); // UIDs of pods with a node or reserved room
    private final Map<String, GangName> running = new HashMap<>(); // by the UIDs of running and starting pods
    private final Set<String> placed = new HashSet<>(); // UIDs of pods that have got a node
    private final Map<GangName, GangPlacement> placements = new HashMap<>();

    /**
     * Records a new or changed pod. The changes of all pods must come in their real order, as those of one watch do.
     *
     * @param now the time since an arbitrary start
     */
    public synchronized void changed(Pod pod, Duration now) {
        gangOf(pod).ifPresent(gang -> {
            var uid = pod.getMetadata().getUid();
            boolean hasNode = pod.getSpec().getNodeName() != null;
            var ofGang = reserved.computeIfAbsent(gang, any -> new HashSet<>());
            if (hasNode || pod.getStatus().getNominatedNodeName() != null) {
                ofGang.add(uid);
            } else {
                ofGang.remove(uid);
            }
            if (hasNode && placed.add(uid)) {
                var before = placements.get(gang);
                placements.put(
                        gang,
                        before == null
                                ? new GangPlacement(ofGang.size(), runningBeside(gang), 1, now, now)
                                : before.withOneMore(now));
            }
            if (hasNode && !hasEnded(pod)) {
                running.put(uid, gang);
            } else {
                running.remove(uid);
            }
        });
    }

    /** Records that a pod was removed. */
    public synchronized void removed(Pod pod) {
        var uid = pod.getMetadata().getUid();
        running.remove(uid);
        reserved.values().forEach(ofGang -> ofGang.remove(uid));
    }

    /**
     * Returns how a gang got its nodes; empty if none of its pods has got one.
     *
     * @param gang the annotated name of the gang, or the name of its JobSet
     */
    public synchronized Optional<GangPlacement> of(String namespace, String gang) {
        return Optional.ofNullable(placements.get(new GangName(namespace, gang)));
    }

    private int runningBeside(GangName gang) {
        return (int) running.values().stream()
                .filter(other -> other.namespace().equals(gang.namespace()) && !other.equals(gang))
                .count();
    }

    private static boolean hasEnded(Pod pod) {
        return List.of("Succeeded", "Failed").contains(pod.getStatus().getPhase());
    }

    private static Optional<GangName> gangOf(Pod pod) {
        return gangNameOf(pod).map(name -> new GangName(pod.getMetadata().getNamespace(), name));
    }

    /** Returns the annotated name of a pod's gang, or the name of its JobSet; empty if it has neither. */
    public static Optional<String> gangNameOf(Pod pod) {
        return Optional.ofNullable(pod.getMetadata().getAnnotations())
                .map(annotations -> annotations.get(Names.GANG))
                .or(() -> Optional.ofNullable(pod.getMetadata().getLabels()).map(labels -> labels.get(JOB_SET)));
    }
}
