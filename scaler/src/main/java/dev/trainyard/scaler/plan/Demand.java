package dev.trainyard.scaler.plan;

import dev.trainyard.core.fit.Neighbourhood;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pod.PodTerm;
import dev.trainyard.core.pod.SpreadConstraint;
import dev.trainyard.scaler.observe.WaitingPod;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Waiting pods that are the same to the planner, the oldest first. Which of them gets which place is of no importance, so that thousands are
 * planned for in one step.
 *
 * @param index its place in the list of all demands
 * @param relations what each is to other pods
 * @param request what each asks for, packed
 * @param manner which of the ways in which pods choose machines is theirs: equal numbers may run on the same machines, room aside
 * @param patience how long they have waited, as {@link Patience} tells it
 * @param gang the gang that they are members of; null when of none
 */
record Demand(
        int index,
        PodShape shape,
        PodRelations relations,
        long[] request,
        int manner,
        int priority,
        boolean ours,
        int patience,
        @Nullable String gang,
        List<WaitingPod> pods) {

    /** Whether other pods have a say in where each of them may be, be it those of the demand itself. */
    boolean isRelated() {
        return !relations.equals(PodRelations.NONE) || !shape.hostPorts().isEmpty();
    }

    /** Whether a machine that would not do for it may do once there are more of its pods elsewhere. */
    boolean mayBeWelcomeLater() {
        return !relations.affinity().isEmpty() || !relations.spread().isEmpty();
    }

    /** Keys of the labels that a machine must have because of required spreads and affinities, the host name aside. */
    Set<String> topologyKeys() {
        return Stream.concat(
                        relations.spread().stream().map(SpreadConstraint::topologyKey),
                        relations.affinity().stream().map(PodTerm::topologyKey))
                .filter(key -> !key.equals(Neighbourhood.HOSTNAME))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    int size() {
        return pods.size();
    }

    Instant oldest() {
        return pods.get(0).since();
    }

    Optional<String> tier() {
        return Optional.ofNullable(shape.tier());
    }

    /** Whom it is for, in words. */
    String whom() {
        return shape.tier() == null ? "pods of no tier" : "tier " + shape.tier();
    }
}
