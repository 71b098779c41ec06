package dev.trainyard.cli.importing;

import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.machine.MachineSizes;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;

/** A reader of groups that mix machine sizes, or spot and on-demand machines. */
final class MixedInstances {

    private MixedInstances() {}

    /** Reads {@code mixedInstancesPolicy} of an InstanceGroup of kops. */
    static void ofKops(TrackedObject spec, PoolDraft draft) {
        var policy = spec.section("mixedInstancesPolicy");
        if (!spec.has("mixedInstancesPolicy")) {
            return;
        }
        var names = new LinkedHashSet<String>();
        spec.text("machineType").ifPresent(names::add);
        names.addAll(policy.texts("instances"));
        sizes(policy, "instances", List.copyOf(names), draft);
        share(policy, policy.number("onDemandBase"), policy.number("onDemandAboveBase"), "onDemandAboveBase", draft);
        if (policy.has("instanceRequirements")) {
            policy.remark(
                    "instanceRequirements",
                    "machines of a pool must be alike: list the sizes in instances, or set spec.promise.allocatable to the least amount of each resource among the sizes");
        }
        policy.passOver("spotAllocationStrategy", "onDemandAllocationStrategy", "spotInstancePools");
        policy.remarkOnTheRest();
    }

    /**
     * Sets the size of a group with several sizes. The pool promises the least amount of each resource among the sizes, so that every
     * machine can keep the promise.
     */
    static void sizes(TrackedObject policy, String member, List<String> names, PoolDraft draft) {
        var known = new ArrayList<MachineSize>();
        for (var name : names) {
            var size = MachineSizes.builtIn().find(name);
            if (size.isEmpty()) {
                policy.remark(
                        member,
                        "the size of %s is unknown: set spec.promise.allocatable to the least of all sizes"
                                .formatted(name));
            }
            size.ifPresent(known::add);
        }
        if (known.isEmpty() || known.size() < names.size()) {
            names.stream().findFirst().ifPresent(draft::size);
            return;
        }
        var least = known.stream()
                .map(MachineSize::allocatable)
                .reduce(MixedInstances::lesser)
                .orElseThrow();
        var first =
                known.stream().filter(size -> size.allocatable().equals(least)).findFirst();
        draft.size(first.orElse(known.get(0)).name());
        if (known.stream().anyMatch(size -> !size.allocatable().equals(least))) {
            if (first.isEmpty()) {
                least.asMap()
                        .forEach((resource, amount) ->
                                draft.allocatable(policy.place(member), resource, amountOf(resource, amount)));
            }
            policy.remark(
                    member, "the machines differ: the promise is the least of each resource, %s".formatted(least));
        }
    }

    /** Sets the capacity type. A mixed group counts as on-demand, because a Trainyard pool is either spot or on-demand. */
    static void share(TrackedObject policy, OptionalInt base, OptionalInt aboveBase, String member, PoolDraft draft) {
        if (base.isEmpty() && aboveBase.isEmpty()) {
            return;
        }
        boolean spot = base.orElse(0) == 0 && aboveBase.orElse(100) == 0;
        boolean onDemand = aboveBase.orElse(100) == 100;
        draft.spot(spot);
        if (!spot && !onDemand) {
            policy.remark(
                    member,
                    "treated as on-demand, because the group mixes spot and on-demand: split the group into a spot group "
                            + "and an on-demand group, so that training falls back from spot to on-demand");
        }
    }

    private static Resources lesser(Resources one, Resources other) {
        return one.minus(one.minus(other).max(Resources.NONE));
    }

    private static String amountOf(String resource, long amount) {
        return switch (resource) {
            case ResourceNames.CPU -> amount + "m";
            case ResourceNames.MEMORY -> (amount >> 20) + "Mi"; // estimates are whole MiB
            default -> Long.toString(amount);
        };
    }
}
