package dev.trainyard.cloud.aws;

import dev.trainyard.scaler.provider.Machine;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;

/**
 * What AWS says of an Auto Scaling group.
 *
 * @param desired machines that AWS has been asked to keep
 * @param instances in AWS's order, also those on their way out
 * @param suspended names of processes that do not run, such as {@code AZRebalance}
 * @param protectsNew whether new instances come protected from scale-in
 * @param source what instances are made from
 * @param mix how spot and on-demand instances are mixed; empty for a group without a mixed instances policy
 * @param unit what desired capacity counts: "units", which are machines, unless the group counts vCPUs or memory
 * @param lifetimeSeconds after which AWS replaces every instance; 0: never
 * @param rebalances whether AWS replaces spot instances that it holds for endangered, before it must
 * @param deletion what AWS is doing when somebody deletes the group; empty while nobody does
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
     * @param lifecycle as AWS writes it, such as {@code Pending:Wait}
     * @param isProtected from scale-in
     */
    record Instance(String id, String type, String zone, String lifecycle, boolean isProtected) {

        private static final String IN_SERVICE = "InService";

        /**
         * Its state; empty for what is no machine of the pool: stopped ones of a warm pool, and those that are gone. A state that a later AWS
         * invents is taken for running: that loses nothing.
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

        /** Only these can be given protection from scale-in. */
        boolean canBeProtected() {
            return lifecycle.equals(IN_SERVICE) || standsBy();
        }

        /** Whether it was taken out of service, for a while: desired capacity does not count it. */
        boolean standsBy() {
            return lifecycle.equals("EnteringStandby") || lifecycle.equals("Standby");
        }

        private Instance goes() {
            return new Instance(id, type, zone, "Terminating", isProtected);
        }
    }

    /** What instances are made from. */
    sealed interface Source {

        /** A launch configuration, which AWS does not make for new accounts any more. */
        record LaunchConfiguration(String name) implements Source {}

        /**
         * A launch template and its version.
         *
         * @param version a number, {@code $Latest} or {@code $Default}
         */
        record LaunchTemplate(String id, String version) implements Source {}

        /** The group names neither. */
        record Unknown() implements Source {}
    }

    /**
     * A mixed instances policy.
     *
     * @param onDemandBase so many first instances are on-demand
     * @param onDemandPercentage of those above
     * @param types instance types in order of priority; empty: the launch template's
     * @param weighted whether some count as more than one unit of capacity
     * @param byAttributes whether AWS chooses types by what they have
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

    /** Instances that are there or being made. */
    List<Instance> present() {
        return instances.stream().filter(Instance::counts).toList();
    }

    /** Instances that desired capacity counts. */
    int serving() {
        return (int) present().stream().filter(instance -> !instance.standsBy()).count();
    }

    /** The same group, with these instances on their way out. */
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

    /** Those that AWS could end although they may be at work. */
    List<Instance> exposed() {
        return unprotected().stream()
                .filter(instance -> instance.state().equals(Optional.of(Machine.State.RUNNING)))
                .toList();
    }

    List<Instance> unprotected() {
        return present().stream().filter(instance -> !instance.isProtected()).toList();
    }

    /** Instances that were taken out of service. */
    int standingBy() {
        return present().size() - serving();
    }

    /** Machines that there are to be, those in standby included: desired capacity does not count them, and they are the pool's all the same. */
    int target() {
        return desired + standingBy();
    }

    /** Whether instances were asked for that AWS shows nothing of. */
    boolean isShort() {
        return desired > serving();
    }
}
