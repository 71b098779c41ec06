package dev.trainyard.scaler.plan;

import dev.trainyard.scaler.observe.NodeView;
import dev.trainyard.scaler.observe.Snapshot;
import dev.trainyard.scaler.observe.SpotReturn;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The decisions of a round (one pass of the scaler's loop) on pool sizes.
 *
 * @param growths at most one for each pool
 * @param outcomes one for every pending pod, by pod UID
 * @param replacements one for every pod that will or may be pending soon, by the UID of the pod that leaves its machine
 * @param reserved names of nodes whose room is reserved for pending pods; such nodes are not removed
 * @param mismatches machines that do not help the pods that they joined for. The round records the mismatches and plans again before it
 *     makes any request
 */
public record Plan(
        List<Growth> growths,
        List<Withdrawal> withdrawals,
        Map<String, Outcome> outcomes,
        Map<String, Outcome> replacements,
        Set<String> reserved,
        List<Mismatch> mismatches) {

    /** Creates a plan without mismatches, for pending pods only. */
    public Plan(
            List<Growth> growths, List<Withdrawal> withdrawals, Map<String, Outcome> outcomes, Set<String> reserved) {
        this(growths, withdrawals, outcomes, Map.of(), reserved, List.of());
    }

    public Plan {
        mismatches = List.copyOf(mismatches);
        growths = List.copyOf(growths);
        withdrawals = List.copyOf(withdrawals);
        outcomes = Collections.unmodifiableMap(outcomes);
        replacements = Map.copyOf(replacements);
        reserved = Set.copyOf(reserved);
    }

    /** Returns the outcomes of all pods that were planned for, by UID: the pending pods, and the pods that will be pending soon. */
    public Map<String, Outcome> allOutcomes() {
        if (replacements.isEmpty()) {
            return outcomes;
        }
        var all = new HashMap<>(outcomes);
        all.putAll(replacements);
        return all;
    }

    /** Returns the snapshot that the plan was made for, with the stages that its returns to spot machines have reached. */
    public Snapshot staged(Snapshot snapshot) {
        if (snapshot.returning().isEmpty()) {
            return snapshot;
        }
        var usable = snapshot.nodes().stream()
                .filter(node -> node.takesPods() && node.hasSettled(snapshot.now()))
                .map(NodeView::name)
                .collect(Collectors.toSet());
        return snapshot.withReturning(snapshot.returning().stream()
                .map(move -> move.at(stage(move, usable)))
                .toList());
    }

    private SpotReturn.Stage stage(SpotReturn move, Set<String> usable) {
        var places = move.pods().stream()
                .map(pod -> Optional.ofNullable(replacements.get(pod.uid())))
                .toList();
        boolean ready = places.stream()
                .allMatch(place -> place.filter(
                                outcome -> outcome instanceof Outcome.OnNode node && usable.contains(node.node()))
                        .isPresent());
        if (ready) {
            return SpotReturn.Stage.READY;
        }
        return places.stream().allMatch(place -> place.filter(Outcome::isPlaced).isPresent())
                ? SpotReturn.Stage.PROVISIONING
                : SpotReturn.Stage.REFUSED;
    }

    /**
     * Returns the plan without the growth of pools that have mismatches. Used if a round still finds mismatches after its last attempt to
     * plan.
     */
    public Plan withoutMismatches() {
        if (mismatches.isEmpty()) {
            return this;
        }
        var pools = mismatches.stream().map(Mismatch::pool).collect(Collectors.toSet());
        return new Plan(
                growths.stream()
                        .filter(growth -> !pools.contains(growth.pool().name()))
                        .toList(),
                withdrawals,
                outcomes,
                replacements,
                reserved,
                List.of());
    }
}
