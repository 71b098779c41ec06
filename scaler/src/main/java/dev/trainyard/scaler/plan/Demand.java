package dev.trainyard.scaler.plan;

import dev.trainyard.core.fit.PodTopology;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.pod.PodShape;
import dev.trainyard.core.pod.PodTerm;
import dev.trainyard.core.pod.SpreadConstraint;
import dev.trainyard.scaler.observe.GangView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.observe.ProgressPolicy.Choice;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A group of pending pods that are equal for the planner, the oldest first. Since the pods are interchangeable, thousands of pods are
 * planned in one step.
 *
 * @param index the index of this demand in the list of all demands
 * @param relations the inter-pod constraints of each pod
 * @param request the resources that each pod requests, packed by {@link ResourceIndex#pack}
 * @param amounts a number that stands for {@code request}; equal numbers mean equal requests
 * @param manner a number that stands for the pods' node constraints. Equal numbers mean equal constraints, apart from the amounts of
 *     resources
 * @param ours whether the pods are for Trainyard's own scheduler
 * @param waitingStep the {@link WaitingStep} of the pods
 * @param choice which pools the pods may get machines of, because of their deadlines
 * @param gang the gang of the pods; null if the pods have no gang
 */
record Demand(
        int index,
        PodShape shape,
        PodRelations relations,
        long[] request,
        int amounts,
        int manner,
        int priority,
        boolean ours,
        int waitingStep,
        Choice choice,
        @Nullable GangView gang,
        List<PendingPod> pods) {

    /** Whether other pods, of this or another demand, restrict where a pod may run. */
    boolean isRelated() {
        return !relations.equals(PodRelations.NONE) || !shape.hostPorts().isEmpty();
    }

    /** Whether a machine that is unsuitable now may become suitable after more pods of the demand are placed on other machines. */
    boolean mayBeWelcomeLater() {
        return !relations.affinity().isEmpty() || !relations.spread().isEmpty();
    }

    /** Returns the keys of labels that topology spreads and affinities require on a machine, except the host name. */
    Set<String> topologyKeys() {
        return Stream.concat(
                        relations.spread().stream().map(SpreadConstraint::topologyKey),
                        relations.affinity().stream().map(PodTerm::topologyKey))
                .filter(key -> !key.equals(PodTopology.HOSTNAME))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the gang whose scheduling gates hold the pods; empty if they are not held. All pods of a demand are held, or none. */
    Optional<GangView> heldBy() {
        return Optional.ofNullable(gang).filter(of -> pods.get(0).isHeld());
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

    /** Returns the name of the demand in messages. */
    String whom() {
        return shape.tier() == null ? "pods without a tier" : "tier " + shape.tier();
    }
}
