package dev.trainyard.chaos;

import dev.trainyard.core.Names;
import dev.trainyard.simulation.api.Watch;
import dev.trainyard.simulation.cluster.World;
import dev.trainyard.simulation.fault.MalformedObjects;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A record of when each gang was last complete in the API server. A gang is complete if it has as many members as its pods' annotation
 * states.
 */
final class CompleteGangs {

    private final World world;
    private final Predicate<Pod> canNeverRun;
    private final Predicate<Pod> comesBack;
    /** All pods except failed ones, by gang and pod UID. */
    private final Map<String, Map<String, Pod>> members = new HashMap<>();
    /** The latest time at which each gang was complete, by gang. */
    private final Map<String, Long> whole = new HashMap<>();

    /**
     * @param canNeverRun whether a pod can never run, so that its gang is never complete
     * @param comesBack whether a terminating pod is still a member, because its controller will create it again
     */
    CompleteGangs(World world, Predicate<Pod> canNeverRun, Predicate<Pod> comesBack) {
        this.world = world;
        this.canNeverRun = canNeverRun;
        this.comesBack = comesBack;
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
    }

    static Optional<String> gang(Pod pod) {
        return annotation(pod, Names.GANG);
    }

    /** Whether the pod has no gang, or its gang was complete within the given time. */
    boolean mayRun(Pod pod, Duration within) {
        return gang(pod)
                .map(gang -> {
                    look(gang);
                    var last = whole.get(gang);
                    return last != null && world.time().nanos() - last <= within.toNanos();
                })
                .orElse(true);
    }

    private void look(String gang) {
        if (isWhole(members.getOrDefault(gang, Map.of()).values())) {
            whole.put(gang, world.time().nanos());
        }
    }

    private boolean isWhole(Collection<Pod> gang) {
        var counted = gang.stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null || comesBack.test(pod))
                .toList();
        return counted.stream()
                        .findAny()
                        .filter(any -> counted.size() >= size(any))
                        .isPresent()
                && counted.stream().noneMatch(canNeverRun);
    }

    private static int size(Pod pod) {
        return Integer.parseInt(annotation(pod, Names.GANG_SIZE).orElseThrow());
    }

    private static Optional<String> annotation(Pod pod, String name) {
        return Optional.ofNullable(pod.getMetadata().getAnnotations()).map(annotations -> annotations.get(name));
    }

    private static boolean counts(Pod pod) {
        return !"Failed".equals(pod.getStatus().getPhase());
    }

    private final class PodsSeen implements Watch<Pod> {
        @Override
        public void added(Pod pod) {
            see(pod, counts(pod));
        }

        @Override
        public void changed(Pod before, Pod after) {
            see(after, counts(after));
        }

        @Override
        public void removed(Pod last) {
            see(last, false);
        }

        private void see(Pod pod, boolean counts) {
            if (MalformedObjects.isOdd(pod)) {
                return;
            }
            gang(pod).ifPresent(gang -> {
                look(gang); // checks the gang before the change
                var others = members.computeIfAbsent(gang, name -> new HashMap<>());
                if (counts) {
                    others.put(pod.getMetadata().getUid(), pod);
                } else {
                    others.remove(pod.getMetadata().getUid());
                }
            });
        }
    }
}
