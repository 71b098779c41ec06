package dev.trainyard.cloud.aws;

import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.api.ProviderSpec.AwsAutoScalingGroup;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.Bounds;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The conversion of a group into the state of its pool. Pure. */
final class Reading {

    private static final String LAUNCH = "Launch";

    private Reading() {}

    /**
     * @param shortage empty if no machine is missing
     * @param births data of the instances that EC2 knows; the launch time of any other instance is assumed to be {@code now}
     */
    static PoolState of(Pool pool, Group group, Optional<Shortage> shortage, Map<String, Birth> births, Instant now)
            throws ProviderException {
        requireMachines(group);
        var machines = new ArrayList<Machine>();
        for (var instance : group.instances()) {
            var birth = Optional.ofNullable(births.get(instance.id()));
            instance.state()
                    .ifPresent(state -> machines.add(new Machine(
                            instance.id(),
                            providerId(instance),
                            birth.flatMap(Birth::dnsName).orElse(null),
                            state,
                            birth.map(Birth::launched).orElse(now))));
        }
        return new PoolState(
                group.target(),
                machines,
                shortage.map(s -> failures(pool, group, s)).orElse(List.of()),
                new Bounds(group.least() + group.standingBy(), group.most() + group.standingBy()),
                warnings(pool, group, births));
    }

    /** Returns the state with these machines in state {@link Machine.State#HELD}. */
    static PoolState held(PoolState state, Set<String> ids) {
        return new PoolState(
                state.target(),
                state.machines().stream()
                        .map(machine -> ids.contains(machine.id())
                                ? new Machine(
                                        machine.id(),
                                        machine.providerId(),
                                        machine.nodeName(),
                                        Machine.State.HELD,
                                        machine.since())
                                : machine)
                        .toList(),
                state.failures(),
                state.bounds(),
                state.warnings());
    }

    private static List<Failure> failures(Pool pool, Group group, Shortage shortage) {
        var failures = new ArrayList<>(LaunchFailures.of(shortage.activities(), pool.isSpot()));
        if (group.suspended().contains(LAUNCH)) {
            failures.add(new Failure(FailureKind.INVALID_CONFIGURATION, suspended(group, LAUNCH), shortage.since()));
        }
        return failures;
    }

    private static String suspended(Group group, String process) {
        return "process %s of %s is suspended: AWS does not %s until the process is resumed"
                .formatted(
                        process,
                        group.name(),
                        process.equals(LAUNCH) ? "launch machines" : "terminate unhealthy machines");
    }

    /** Returns the provider ID as the cloud controller manager writes it into nodes. */
    private static String providerId(Group.Instance instance) {
        return "aws:///%s/%s".formatted(instance.zone(), instance.id());
    }

    /** Requires that desired capacity is a number of machines, and that the group is not being deleted. */
    private static void requireMachines(Group group) throws ProviderException {
        if (!group.unit().equals("units")) {
            throw wrong(
                    group,
                    "has DesiredCapacityType %s; set it to units, so that capacity is a number of machines"
                            .formatted(group.unit()));
        }
        if (group.mix().filter(Group.Mix::weighted).isPresent()) {
            throw wrong(
                    group, "has weights for instance types, but each machine must count as one: remove the weights");
        }
        if (group.deletion().isPresent()) {
            throw wrong(group, "is being deleted: " + group.deletion().get());
        }
    }

    private static ProviderException wrong(Group group, String what) {
        return new ProviderException(
                FailureKind.INVALID_CONFIGURATION, "Auto Scaling group %s %s".formatted(group.name(), what));
    }

    private static List<String> warnings(Pool pool, Group group, Map<String, Birth> births) {
        var warnings = new ArrayList<String>();
        boolean guarded = group.unprotected().isEmpty() && group.protectsNew();
        boolean guards = protects(pool);
        if (!guarded && !guards) {
            warnings.add(
                    "%s does not protect its instances from scale-in: AWS may terminate machines in use, and requests that AWS cannot fill are not withdrawn while the group has machines. Set protectFromScaleIn to true, or turn on the protection in the group%s"
                            .formatted(group.name(), TroubleshootingTopic.MACHINES_END_AT_WORK.see()));
        }
        if (!guarded
                && !guards
                && group.zones().size() > 1
                && !group.suspended().contains("AZRebalance")) {
            warnings.add(
                    "Auto Scaling group %s has several zones, and its process AZRebalance terminates machines in use: suspend the process AZRebalance"
                            .formatted(group.name()));
        }
        for (var process : List.of(LAUNCH, "Terminate")) {
            if (group.suspended().contains(process)) {
                warnings.add(suspended(group, process));
            }
        }
        if (group.lifetimeSeconds() > 0) {
            warnings.add(
                    "%s replaces every machine after %d hours, even a machine in use: remove the group's maximum instance lifetime"
                            .formatted(group.name(), group.lifetimeSeconds() / 3600));
        }
        if (group.rebalances()) {
            warnings.add(
                    "%s has Capacity Rebalancing: AWS terminates spot machines in use after a rebalance recommendation, although many of them would not be reclaimed. Turn off Capacity Rebalancing"
                            .formatted(group.name()));
        }
        if (group.most() < pool.max()) {
            warnings.add(
                    "MaxSize of %s is %d, less than spec.max, which is %d: the scaler requests no machines beyond MaxSize%s"
                            .formatted(
                                    group.name(),
                                    group.most(),
                                    pool.max(),
                                    TroubleshootingTopic.MAX_OF_THE_CLOUD.see()));
        }
        if (group.least() > pool.min()) {
            warnings.add(
                    "MinSize of %s is %d, more than spec.min, which is %d: the scaler keeps at least MinSize machines%s"
                            .formatted(
                                    group.name(),
                                    group.least(),
                                    pool.min(),
                                    TroubleshootingTopic.MAX_OF_THE_CLOUD.see()));
        }
        group.mix().ifPresent(mix -> warnings.addAll(mixed(pool, group, mix)));
        if (group.mix().isEmpty()) {
            otherCapacity(pool, group, births).ifPresent(warnings::add);
        }
        return warnings;
    }

    /**
     * Returns a warning if machines have the wrong capacity type. The machines are examined instead of the launch template, which saves a
     * request.
     */
    private static Optional<String> otherCapacity(Pool pool, Group group, Map<String, Birth> births) {
        return group.present().stream()
                .map(Group.Instance::id)
                .filter(id -> births.containsKey(id) && births.get(id).spot() != pool.isSpot())
                .min(Comparator.naturalOrder())
                .map(id ->
                        "%s launches %s machines, such as %s, but spec.capacityType is %s: fix spec.capacityType or the group's launch template"
                                .formatted(
                                        group.name(), pool.isSpot() ? "on-demand" : "spot", id, pool.capacityType()));
    }

    private static List<String> mixed(Pool pool, Group group, Group.Mix mix) {
        var warnings = new ArrayList<String>();
        if (pool.isSpot() ? !mix.onlySpot() : !mix.onlyOnDemand()) {
            warnings.add(
                    "the mixed instances policy of %s has OnDemandBaseCapacity %d and OnDemandPercentageAboveBaseCapacity %d, but spec.capacityType is %s: create one group and one pool for each capacity type"
                            .formatted(
                                    group.name(), mix.onDemandBase(), mix.onDemandPercentage(), pool.capacityType()));
        }
        if (mix.byAttributes() || new HashSet<>(mix.types()).size() > 1) {
            warnings.add("group %s launches machines of several types%s: spec.promise must describe the smallest type"
                    .formatted(group.name(), mix.types().isEmpty() ? "" : " " + mix.types()));
        }
        return warnings;
    }

    static AwsAutoScalingGroup spec(Pool pool) {
        var spec = pool.provider().awsAutoScalingGroup();
        if (spec == null) {
            throw new IllegalArgumentException("pool " + pool.name() + " is not an Auto Scaling group");
        }
        return spec;
    }

    /** Whether the pool's machines are to be protected from scale-in, which is the default. */
    static boolean protects(Pool pool) {
        return !Boolean.FALSE.equals(spec(pool).protectFromScaleIn());
    }
}
