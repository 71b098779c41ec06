package dev.trainyard.scaler.plan;

import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.scaler.observe.GangView;
import dev.trainyard.scaler.observe.PendingPod;
import dev.trainyard.scaler.plan.Bin.Origin;
import dev.trainyard.scaler.plan.Outcome.Unplaced;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/** The step that turns a planning pass into a plan: an outcome for each pod, and requests to pools. Used once. */
final class PlanBuilder {

    private final PlanningInput outlook;
    private final PlanningPass planning;
    private final Map<String, Outcome> outcomes;
    private final Set<String> reserved = new HashSet<>();
    /** The idle nodes that are kept for gangs without room. */
    private final Set<String> kept = new HashSet<>();
    /** By demand: how many pods of the demand have an outcome. */
    private final int[] told;
    /** By key of a gang whose pods are held: how many of its pods have room on nodes. */
    private final Map<String, Integer> ready = new HashMap<>();
    /** By key of a gang whose pods are held: how many of its pods are pending. */
    private final Map<String, Integer> held = new HashMap<>();

    /** @param known outcomes of pods that were left out of planning */
    PlanBuilder(PlanningInput outlook, PlanningPass planning, Map<String, ? extends Outcome> known) {
        this.outlook = outlook;
        this.planning = planning;
        this.outcomes = new HashMap<>(2 * outlook.snapshot().demand().size());
        outcomes.putAll(known);
        this.told = new int[outlook.demands().size()];
    }

    Plan plan(List<Withdrawal> withdrawals) {
        outlook.demands()
                .forEach(demand ->
                        demand.heldBy().ifPresent(gang -> held.merge(gang.key(), demand.size(), Integer::sum)));
        for (int group = 0; group < outlook.groups().size() && !held.isEmpty(); group++) {
            planning.supply().nodes(group).forEach(this::countReady);
        }
        for (int group = 0; group < outlook.groups().size(); group++) {
            planning.supply().nodes(group).forEach(this::tellNode);
        }
        var growths = new ArrayList<Growth>();
        for (int pool = 0; pool < outlook.pools().size(); pool++) {
            tellUpcoming(pool);
        }
        for (int pool = 0; pool < outlook.pools().size(); pool++) {
            tellNew(pool, growths);
        }
        for (var demand : outlook.demands()) {
            if (told[demand.index()] < demand.size()) {
                var outcome = unplaced(demand, planning.why(demand));
                tell(demand, demand.size() - told[demand.index()], pod -> outcome);
            }
        }
        var replacements = new HashMap<String, Outcome>();
        outlook.leaving().forEach(uid -> {
            var outcome = outcomes.remove(uid);
            if (outcome != null) {
                replacements.put(uid, outcome);
            }
        });
        var mismatches = new MismatchDetector(outlook, planning, reserved).mismatches();
        reserved.addAll(kept); // idle nodes count as spare machines, but stay
        return new Plan(growths, withdrawals, outcomes, replacements, reserved, mismatches);
    }

    private void countReady(Bin bin) {
        for (var load = bin.load; load != null; load = load.before()) {
            int pods = load.pods();
            load.demand().heldBy().ifPresent(gang -> ready.merge(gang.key(), pods, Integer::sum));
        }
    }

    private void tellNode(Bin bin) {
        for (var load = bin.load; load != null; load = load.before()) {
            var caveat = planning.caveat(load.demand());
            var waiting = load.demand().heldBy().map(gang -> held(bin.node, gang));
            if (waiting.isPresent() && !planning.isPlaced(load.demand())) {
                kept.add(bin.node);
                continue;
            }
            reserved.add(bin.node);
            tell(
                    load.demand(),
                    load.pods(),
                    pod -> waiting.orElseGet(() -> new Outcome.OnNode(bin.node, caveat, pod.verdict())));
        }
    }

    private Outcome held(String node, GangView gang) {
        return new Outcome.Held(node, gang.name(), ready.getOrDefault(gang.key(), 0), held.getOrDefault(gang.key(), 0));
    }

    private void tellUpcoming(int number) {
        var pool = outlook.pool(number).name();
        var counter = new int[1];
        planning.supply().opened(number).forEach(bin -> {
            if (bin.origin == Origin.UPCOMING) {
                if (!bin.node.isEmpty()) {
                    reserved.add(bin.node);
                }
                for (int machine = 0; machine < bin.count; machine++) {
                    var name = bin.node.isEmpty() ? "#" + ++counter[0] : bin.node;
                    tellLoads(bin, demand -> {
                        var outcome = new Outcome.Upcoming(pool, name, planning.caveat(demand));
                        return pod -> outcome;
                    });
                }
            }
        });
    }

    private void tellNew(int number, List<Growth> growths) {
        var pool = outlook.pool(number);
        var counter = new int[1];
        var forWhom = new LinkedHashSet<String>();
        var insteadOf = new LinkedHashSet<Refusal>();
        var equal = new TreeSet<Integer>();
        int minimum = planning.minimum(number);
        if (minimum > 0) {
            forWhom.add("its minimum of " + pool.pool().min());
        }
        planning.supply().opened(number).forEach(bin -> {
            if (bin.origin == Origin.MINIMUM || bin.origin == Origin.NEW) {
                for (int machine = 0; machine < bin.count; machine++) {
                    int name = ++counter[0];
                    tellLoads(bin, demand -> {
                        var outcome = new Outcome.Growing(pool.name(), name, planning.caveat(demand));
                        return pod -> outcome;
                    });
                }
                for (var load = bin.load; load != null; load = load.before()) {
                    if (bin.origin == Origin.NEW) {
                        forWhom.add(load.demand().whom());
                        insteadOf.addAll(planning.insteadOf(load.demand(), number));
                        equal.addAll(equallyPreferred(load.demand(), number));
                    }
                }
            }
        });
        int spare = spare(number);
        if (spare > 0) {
            forWhom.add("its spare machines (%d)".formatted(pool.pool().spare()));
        }
        grow(number, spare, forWhom, insteadOf, equal, growths);
    }

    /** Returns the pools that the demand's tier prefers as much as this pool, and this pool; empty if there is no such other pool. */
    private List<Integer> equallyPreferred(Demand demand, int number) {
        var candidates = outlook.candidates(demand);
        return demand.tier().isPresent() && candidates.mayChoose()
                ? Arrays.stream(candidates.fitting())
                        .filter(other -> candidates.areEqual(number, other))
                        .boxed()
                        .toList()
                : List.of();
    }

    private void grow(
            int number,
            int spare,
            Set<String> forWhom,
            Set<Refusal> insteadOf,
            Set<Integer> equal,
            List<Growth> growths) {
        var pool = outlook.pool(number);
        var purchase = planning.purchase(number);
        int bought = purchase.machines() + Math.min(spare, purchase.room());
        if (bought > 0) {
            var state = pool.state().orElseThrow();
            growths.add(new Growth(
                    pool.pool(),
                    state.target(),
                    Math.max(state.target(), state.present()) + bought,
                    purchase.wanted() + spare,
                    String.join(", ", forWhom),
                    List.copyOf(insteadOf),
                    equal.size() > 1
                            ? Optional.of(Explanations.choice(
                                    equal.stream().map(outlook::pool).toList(),
                                    outlook.snapshot().now()))
                            : Optional.empty()));
        }
    }

    /** Returns how many spare machines the pool lacks. A machine counts as spare if the plan puts no pod onto it. */
    private int spare(int number) {
        int wanted = outlook.pool(number).pool().spare();
        if (wanted == 0
                || outlook.refusal(number).isPresent()
                || planning.purchase(number).room() == 0) {
            return 0;
        }
        int idle = outlook.stock().idleNodes(number, reserved)
                + planning.supply().untouched(number).machines()
                + planning.supply().spare(number).machines();
        return Math.max(0, wanted - idle);
    }

    private void tellLoads(Bin bin, Function<Demand, Function<PendingPod, Outcome>> outcome) {
        for (var load = bin.load; load != null; load = load.before()) {
            tell(load.demand(), load.pods(), outcome.apply(load.demand()));
        }
    }

    /**
     * Sets the outcome of the oldest pods of a demand that have no outcome yet. Callers begin with existing nodes and end with new
     * machines, so the oldest pods get room soonest.
     */
    private void tell(Demand demand, int pods, Function<PendingPod, Outcome> outcome) {
        int from = told[demand.index()];
        for (var pod : demand.pods().subList(from, from + pods)) {
            outcomes.put(pod.uid(), outcome.apply(pod));
        }
        told[demand.index()] = from + pods;
    }

    private Outcome unplaced(Demand demand, Unplaced why) {
        boolean nobodys = !demand.ours() && demand.shape().tier() == null;
        if (nobodys && why.reason() == Outcome.Reason.FITS_NO_POOL) {
            // A pod that requests GPUs keeps its explanation. Perhaps it lacks a tier because the webhook was down or
            // skipped the pod.
            return demand.shape().gpus() == 0 ? withoutGpus(demand, why) : why;
        }
        return new Unplaced(why.reason(), why.message() + planning.caveat(demand));
    }

    private static Outcome withoutGpus(Demand demand, Unplaced why) {
        return demand.shape().requests().asMap().keySet().stream()
                .filter(ResourceNames::isOtherAccelerator)
                .min(Comparator.naturalOrder())
                .<Outcome>map(name -> new Unplaced(
                        why.reason(),
                        "%s; Trainyard does not complete pods that request %s, and no pool promises this resource for the pod: docs/tiers.md#other-accelerators"
                                .formatted(why.message(), name)))
                .orElseGet(
                        () -> new Outcome.NotOurs("the pod names no tier, and no pool can run it: " + why.message()));
    }
}
