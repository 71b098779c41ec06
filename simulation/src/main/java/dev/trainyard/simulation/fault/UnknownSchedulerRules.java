package dev.trainyard.simulation.fault;

import dev.trainyard.core.pod.PodReader;
import dev.trainyard.simulation.time.Chance;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Scheduler rules that Trainyard does not know. For a while, a rule excludes pods of one kind (a tier and resource requests) from all
 * nodes.
 */
final class UnknownSchedulerRules {

    private final Chance chance;
    private final VirtualTime time;
    private final ActivityLog log;
    /** The end of the exclusion in virtual time, by kind of pod; zero if the kind was never excluded. */
    private final Map<String, Long> until = new HashMap<>();

    UnknownSchedulerRules(Chance chance, VirtualTime time, ActivityLog log) {
        this.chance = chance;
        this.time = time;
        this.log = log;
    }

    /** Whether a rule now excludes pods of this pod's kind. A rule may begin at the first query about a kind. */
    boolean refuse(Pod pod) {
        return time.nanos() < until.computeIfAbsent(kind(pod), this::draw);
    }

    /** Whether a rule excludes, or has excluded, pods of this pod's kind. */
    boolean haveRefused(Pod pod) {
        return until.getOrDefault(kind(pod), 0L) > 0;
    }

    private long draw(String kind) {
        if (!chance.happens(0.25)) {
            return 0;
        }
        var length = chance.between(Duration.ofMinutes(5), Duration.ofHours(2));
        log.note("an unknown rule keeps pods of %s pending for %d s".formatted(kind, length.toSeconds()));
        return time.nanos() + length.toNanos();
    }

    /** Returns the kind of a pod. Kinds are coarser than the planner's shapes, so that all pods of a shape are treated alike. */
    private static String kind(Pod pod) {
        return "tier %s with %s"
                .formatted(PodReader.tier(pod), PodReader.shapeOf(pod).requests());
    }
}
