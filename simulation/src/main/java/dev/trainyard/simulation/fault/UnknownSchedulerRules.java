package dev.trainyard.simulation.fault;

import dev.trainyard.core.pod.PodReader;
import dev.trainyard.simulation.time.Chance;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Rules of a scheduler that Trainyard does not know: for a while pods of some kinds are placed nowhere, whatever the nodes are like. */
final class UnknownSchedulerRules {

    private final Chance chance;
    private final VirtualTime time;
    private final ActivityLog log;
    /** By kind of pod: until when it is refused, in virtual time; zero if it never was. */
    private final Map<String, Long> until = new HashMap<>();

    UnknownSchedulerRules(Chance chance, VirtualTime time, ActivityLog log) {
        this.chance = chance;
        this.time = time;
        this.log = log;
    }

    /** Whether a rule is against such pods now. What is asked for the first time may meet with one. */
    boolean refuse(Pod pod) {
        return time.nanos() < until.computeIfAbsent(kind(pod), this::draw);
    }

    /** Whether a rule is, or was, against such pods. */
    boolean haveRefused(Pod pod) {
        return until.getOrDefault(kind(pod), 0L) > 0;
    }

    private long draw(String kind) {
        if (!chance.happens(0.25)) {
            return 0;
        }
        var length = chance.between(Duration.ofMinutes(5), Duration.ofHours(2));
        log.note("an unknown rule is against pods of %s for %d s".formatted(kind, length.toSeconds()));
        return time.nanos() + length.toNanos();
    }

    /** Less than the planner tells apart, so that no pod suffers for one that looks the same to it. */
    private static String kind(Pod pod) {
        return "tier %s with %s"
                .formatted(PodReader.tier(pod), PodReader.shapeOf(pod).requests());
    }
}
