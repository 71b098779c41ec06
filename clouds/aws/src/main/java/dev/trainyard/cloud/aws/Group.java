package dev.trainyard.cloud.aws;

import dev.trainyard.scaler.provider.Machine;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * An Auto Scaling group as AWS describes it.
 *
 * @param desired the desired capacity: the number of instances that AWS has been asked to keep, without those in standby
 * @param instances the instances in AWS's order, including terminating ones
 * @param suspended names of suspended processes, such as {@code AZRebalance}
 * @param protectsNew whether new instances are protected from scale-in
 * @param source the template of its instances
 * @param mix how spot and on-demand instances are mixed; empty for a group without a mixed instances policy
 * @param unit the unit of desired capacity: "units" for machines, another text for vCPUs or memory
 * @param lifetimeSeconds the age at which AWS replaces an instance; 0 for never
 * @param rebalances whether AWS replaces a spot instance in advance if a reclaim is likely
 * @param deletion AWS's status while the group is being deleted; otherwise empty
 */
record Group(
        String name,
        int least,
        int most,
        int desired,
        List<Instance> instances,
        List<String> zones,
        Set<String> suspended,
        boolean protectsNew,
        Source source,
        Optional<Mix> mix,
        String unit,
        int lifetimeSeconds,
        boolean rebalances,
        Optional<String> deletion,
        SortedMap<String, String> tags) {

    Group {
        instances = List.copyOf(instances);
        zones = List.copyOf(zones);
        suspended = Set.copyOf(suspended);
    }

    /**
     * A machine of the group.
     *
     * @param lifecycle the state as AWS writes it, such as {@code Pending:Wait}
     * @param isProtected whether it is protected from scale-in
     */
    record Instance(String id, String type, String zone, String lifecycle, boolean isProtected) {

        private static final String IN_SERVICE = "InService";

        /**
         * Returns the state of the machine; empty if the machine does not belong to the pool, because it is in a warm pool or gone. An
         * unknown lifecycle is taken for running, so that no machine is lost.
         */
        Optional<Machine.State> state() {
            var word = lifecycle.contains(":") ? lifecycle.substring(0, lifecycle.indexOf(':')) : lifecycle;
            return switch (word) {
                case "Pending", "Quarantined" -> Optional.of(Machine.State.CREATING);
                case "Terminating", "Detaching" -> Optional.of(Machine.State.DELETING);
                case "Terminated", "Detached", "Warmed" -> Optional.empty();
                default -> Optional.of(Machine.State.RUNNING);
            };
        }

        boolean counts() {
            return state().filter(state -> state != Machine.State.DELETING).isPresent();
        }

        /** Whether a lifecycle hook delays the termination of the instance. */
        boolean waitsToEnd() {
            return lifecycle.equals("Terminating:Wait");
        }

        /** Whether the instance can be protected from scale-in. */
        boolean canBeProtected() {
            return lifecycle.equals(IN_SERVICE) || standsBy();
        }

        /** Whether the instance is in standby: temporarily out of service. Desired capacity does not include such an instance. */
        boolean standsBy() {
            return lifecycle.equals("EnteringStandby") || lifecycle.equals("Standby");
        }

        private Instance goes() {
            return new Instance(id, type, zone, "Terminating", isProtected);
        }
    }

    /** The template of instances. */
    sealed interface Source {

        /** A launch configuration, which AWS no longer offers to new accounts. */
        record LaunchConfiguration(String name) implements Source {}

        /**
         * A launch template and its version.
         *
         * @param version a number, {@code $Latest} or {@code $Default}
         */
        record LaunchTemplate(String id, String version) implements Source {}

        /** The source of a group that names no launch configuration and no launch template. */
        record Unknown() implements Source {}
    }

    /**
     * A mixed instances policy.
     *
     * @param onDemandBase how many instances are on-demand before the percentage applies
     * @param onDemandPercentage the percentage of on-demand instances among those above {@code onDemandBase}
     * @param types instance types in order of priority; empty for the launch template's type
     * @param weighted whether an instance of some type is several units of capacity
     * @param byAttributes whether AWS chooses types by attributes
     */
    record Mix(int onDemandBase, int onDemandPercentage, List<String> types, boolean weighted, boolean byAttributes) {

        Mix {
            types = List.copyOf(types);
        }

        boolean onlySpot() {
            return onDemandBase == 0 && onDemandPercentage == 0;
        }

        boolean onlyOnDemand() {
            return onDemandPercentage == 100;
        }
    }

    /** Returns the instances that exist or are being created. */
    List<Instance> present() {
        return instances.stream().filter(Instance::counts).toList();
    }

    /** Returns the number of instances that desired capacity includes: the present ones that are not in standby. */
    int serving() {
        return (int) present().stream().filter(instance -> !instance.standsBy()).count();
    }

    /** Returns the same group, with the instances of these ids in state Terminating. */
    Group without(Predicate<String> ids) {
        return new Group(
                name,
                least,
                most,
                desired,
                instances.stream()
                        .map(instance -> instance.counts() && ids.test(instance.id()) ? instance.goes() : instance)
                        .toList(),
                zones,
                suspended,
                protectsNew,
                source,
                mix,
                unit,
                lifetimeSeconds,
                rebalances,
                deletion,
                tags);
    }

    /** Returns the ids of instances whose termination a lifecycle hook delays. */
    Set<String> waitingToEnd() {
        return instances.stream().filter(Instance::waitsToEnd).map(Instance::id).collect(Collectors.toSet());
    }

    /** Returns the instances that AWS could terminate although they may run pods. */
    List<Instance> exposed() {
        return unprotected().stream()
                .filter(instance -> instance.state().equals(Optional.of(Machine.State.RUNNING)))
                .toList();
    }

    List<Instance> unprotected() {
        return present().stream().filter(instance -> !instance.isProtected()).toList();
    }

    /** Returns the number of instances in standby. */
    int standingBy() {
        return present().size() - serving();
    }

    /**
     * Returns the target number of machines: desired capacity plus the machines in standby. Machines in standby belong to the pool but not
     * to desired capacity.
     */
    int target() {
        return desired + standingBy();
    }

    /** Whether AWS shows fewer instances than were requested. */
    boolean isShort() {
        return desired > serving();
    }
}
