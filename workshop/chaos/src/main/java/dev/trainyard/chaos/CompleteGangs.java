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

/** Which gangs have all their pods, by what the API server has, and which had a moment ago. Pods say of which gang they are in annotations. */
final class CompleteGangs {

    private final World world;
    private final Predicate<Pod> isOutOfTheQuestion;
    /** By gang, and by uid: those that are there to stay, or have succeeded. */
    private final Map<String, Map<String, Pod>> members = new HashMap<>();
    /** By gang: when it was last seen to be whole. */
    private final Map<String, Long> whole = new HashMap<>();

    /** @param isOutOfTheQuestion whether a pod can never run, nor the gang that it is of ever be whole */
    CompleteGangs(World world, Predicate<Pod> isOutOfTheQuestion) {
        this.world = world;
        this.isOutOfTheQuestion = isOutOfTheQuestion;
        world.server().pods().inform(() -> Duration.ZERO).tell(new PodsSeen());
    }

    static Optional<String> gang(Pod pod) {
        return annotation(pod, Names.GANG);
    }

    /** Whether it is of no gang, or of one that has been whole within that time. */
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
        return gang.stream().findAny().filter(any -> gang.size() >= size(any)).isPresent()
                && gang.stream().noneMatch(isOutOfTheQuestion);
    }

    private static int size(Pod pod) {
        return Integer.parseInt(annotation(pod, Names.GANG_SIZE).orElseThrow());
    }

    private static Optional<String> annotation(Pod pod, String name) {
        return Optional.ofNullable(pod.getMetadata().getAnnotations()).map(annotations -> annotations.get(name));
    }

    private static boolean counts(Pod pod) {
        return pod.getMetadata().getDeletionTimestamp() == null
                && !"Failed".equals(pod.getStatus().getPhase());
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
                look(gang); // as it was until now
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
