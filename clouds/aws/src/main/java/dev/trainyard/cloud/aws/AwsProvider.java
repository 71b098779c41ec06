package dev.trainyard.cloud.aws;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The provider of pools that are AWS Auto Scaling groups. A pool's target is its group's desired capacity plus the instances in standby.
 * Instances are terminated one by one, by id. A request is withdrawn only while every running instance is protected from scale-in, so that
 * AWS cannot choose one to terminate: docs/decisions/0025. The SDK is loaded when the first pool is read. Thread-safe.
 */
public final class AwsProvider implements CloudProvider {

    private static final Duration ATTENTION = Duration.ofSeconds(5);

    /** AWS publishes no limits of Auto Scaling's API. The scaler needs only a tenth of the rates at which other users were throttled. */
    private static final CallLimits LIMITS = new CallLimits(5, 50, 2, 20);

    private final Clock clock;
    private final Function<String, AwsCalls> opening;
    private final InstanceTypes types;
    private final Map<String, AwsRegion> regions = new ConcurrentHashMap<>();

    /** Creates a provider for AWS itself, with the credentials of the environment. Makes no request until a pool is read. */
    public AwsProvider(Clock clock) {
        this(clock, region -> new AwsCalls(region, AwsSettings.usual(region)));
    }

    AwsProvider(Clock clock, Function<String, AwsCalls> opening) {
        this.clock = clock;
        this.opening = opening;
        this.types = new InstanceTypes(clock);
    }

    @Override
    public PoolState read(Pool pool) throws ProviderException {
        var region = region(pool);
        var group = region.recent(name(pool));
        var state = Reading.of(pool, group, region.shortage(group), region.births(group), clock.instant());
        try {
            return Reading.held(state, region.held(group));
        } catch (ProviderException e) {
            return state.withWarning("lifecycle hooks delay the end of machines, and cannot be read: " + e.words());
        }
    }

    @Override
    public void grow(Pool pool, int from, int to) throws ProviderException {
        var region = region(pool);
        var group = region.now(name(pool));
        if (group.target() == to) {
            return;
        }
        expectTarget(group, from);
        if (to - group.standingBy() > group.most()) {
            throw new ProviderException(
                    FailureKind.INVALID_CONFIGURATION,
                    "MaxSize of Auto Scaling group %s is %d, fewer than %d machines: raise MaxSize or lower spec.max"
                            .formatted(group.name(), group.most(), to - group.standingBy()));
        }
        region.ordering(group, to);
        resize(region, group, to);
    }

    @Override
    public void withdraw(Pool pool, int from, int to) throws ProviderException {
        var region = region(pool);
        var group = region.now(name(pool));
        if (group.target() == to) {
            return;
        }
        expectTarget(group, from);
        expectRoom(group, to);
        if (!group.unprotected().isEmpty() && Reading.protects(pool)) {
            protect(region, group);
            group = region.now(name(pool));
            expectTarget(group, from);
            expectRoom(group, to);
        }
        // Instances that are being created are not exposed: they run no pods, and the new size still includes them.
        var exposed = group.exposed();
        if (!exposed.isEmpty()) {
            throw new ProviderException(
                    FailureKind.CONFLICT,
                    "the desired capacity cannot be lowered from %d to %d: AWS could terminate one of %d machines of %s that have no protection; %s"
                            .formatted(
                                    from,
                                    to,
                                    exposed.size(),
                                    group.name(),
                                    Reading.protects(pool)
                                            ? "these machines are new; the scaler protects them before the next try"
                                            : "set spec.provider.awsAutoScalingGroup.protectFromScaleIn: true"));
        }
        resize(region, group, to);
    }

    @Override
    public void terminate(Pool pool, List<Machine> machines) throws ProviderException {
        var region = region(pool);
        new Shrinking(region, region.now(name(pool)), pool.min()).end(machines);
    }

    @Override
    public PoolState tend(Pool pool, PoolState state) {
        if (!Reading.protects(pool) || state.machines().isEmpty()) {
            return state;
        }
        try {
            var region = region(pool);
            protect(region, region.recent(name(pool)));
            return state;
        } catch (ProviderException e) {
            return state.withWarning("machines could not be protected from scale-in: " + e.words());
        }
    }

    @Override
    public int terminationsPerRequest() {
        return 1;
    }

    @Override
    public Optional<MachineSize> size(ProviderSpec where, String name) throws ProviderException {
        var group = where.awsAutoScalingGroup();
        return group == null
                ? Optional.empty()
                : types.find(group.region(), region(group.region()).calls(), name);
    }

    @Override
    public Optional<Integer> spotScore(Pool pool) throws ProviderException {
        if (!pool.isSpot()) {
            return Optional.empty();
        }
        var region = region(pool);
        return region.scores().of(region.recent(name(pool)));
    }

    @Override
    public CallLimits limits() {
        return LIMITS;
    }

    @Override
    public Duration attention() {
        return ATTENTION;
    }

    @Override
    public List<CloudRight> rights(Pool pool) throws ProviderException {
        return new Rights(region(pool).calls()).of(name(pool));
    }

    @Override
    public void close() {
        regions.values().forEach(AwsRegion::close);
    }

    private static void resize(AwsRegion region, Group group, int to) throws ProviderException {
        try {
            region.calls().setDesiredCapacity(group.name(), to - group.standingBy());
        } finally {
            region.changed();
        }
    }

    private static void protect(AwsRegion region, Group group) throws ProviderException {
        var unprotected = group.unprotected().stream()
                .filter(Group.Instance::canBeProtected)
                .map(Group.Instance::id)
                .toList();
        if (!unprotected.isEmpty()) {
            region.calls().protect(group.name(), unprotected);
            region.changed();
        }
    }

    private static void expectTarget(Group group, int from) throws ProviderException {
        if (group.target() != from) {
            throw new ProviderException(
                    FailureKind.CONFLICT,
                    "the desired capacity of Auto Scaling group %s is %d, but was expected to be %d"
                            .formatted(group.name(), group.desired(), from - group.standingBy()));
        }
    }

    private static void expectRoom(Group group, int to) throws ProviderException {
        int present = group.present().size();
        if (present > to) {
            throw new ProviderException(
                    FailureKind.CONFLICT,
                    "the request is not withdrawn: the pool's target would be %d machines, but %d machines of Auto Scaling group %s exist or are being created"
                            .formatted(to, present, group.name()));
        }
    }

    private AwsRegion region(Pool pool) throws ProviderException {
        return region(Reading.spec(pool).region());
    }

    private AwsRegion region(String name) throws ProviderException {
        try {
            return regions.computeIfAbsent(name, n -> new AwsRegion(n, opening.apply(n), clock));
        } catch (IllegalArgumentException e) {
            throw new ProviderException(
                    FailureKind.INVALID_CONFIGURATION,
                    "the settings for region %s are invalid: %s".formatted(name, String.valueOf(e.getMessage())));
        }
    }

    private static String name(Pool pool) {
        return Reading.spec(pool).name();
    }
}
