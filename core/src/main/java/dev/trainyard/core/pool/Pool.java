package dev.trainyard.core.pool;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.core.Trap;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.api.TrainingPoolSpec.ReadinessSpec;
import dev.trainyard.core.api.TrainingPoolSpec.TaintSpec;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.machine.MachineSizes;
import dev.trainyard.core.node.LabelSyntax;
import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A set of identical machines that one cloud resource can grow and shrink, checked and with its defaults filled in.
 *
 * @param min machines never fewer than this
 * @param max machines never more than this
 * @param spare idle machines kept warm
 * @param promise what a new node will look like; its labels include {@link Names#POOL}
 * @param ownLabels those that it promises, without {@link Names#POOL}, which its provider or the scaler puts on
 * @param estimated the resources of the promise that nobody stated: they follow from the size of the machine, and are rather too little
 * @param startupTaints keys of taints that a new node has until it is ready for pods, besides those that are known everywhere
 * @param unreported resources of the promise that nodes never show
 * @param hourlyPrice of one machine; empty when not stated
 * @param provisionTimeout after which a machine that is not usable is given up
 * @param idleAfter how long a machine runs no training pod before it is removed
 * @param utilizationBelow share of capacity under which a machine may be emptied, 0 to 1
 * @param drainGrace how long a pod is left where it was scheduled, before its machine may be emptied
 * @param billingIncrement in what steps machines are paid for; empty: that is of no concern
 */
public record Pool(
        String name,
        ProviderSpec provider,
        CapacityType capacityType,
        int min,
        int max,
        int spare,
        NodeShape promise,
        SortedMap<String, String> ownLabels,
        Set<String> estimated,
        Set<String> startupTaints,
        Resources unreported,
        Optional<BigDecimal> hourlyPrice,
        Duration provisionTimeout,
        Duration idleAfter,
        double utilizationBelow,
        Duration drainGrace,
        Optional<Duration> billingIncrement) {

    /** The most machines of a pool that does not say: acs-engine's own bound. */
    public static final int DEFAULT_MAX = 100;

    /**
     * What the kubelet of a usual machine puts on its node: counts for a new machine whose promise does not say otherwise, such as
     * {@code kubernetes.io/arch: arm64}.
     */
    public static final Map<String, String> USUAL_LABELS =
            Map.of("kubernetes.io/os", "linux", "kubernetes.io/arch", "amd64");

    /**
     * A new node as it is expected: as promised, with the {@linkplain #USUAL_LABELS usual labels} and the usual disk if the promise does not
     * name them.
     */
    public NodeShape newNode() {
        var labels = new HashMap<>(USUAL_LABELS);
        labels.putAll(promise.labels());
        var allocatable = promise.allocatable().asMap().containsKey(ResourceNames.EPHEMERAL_STORAGE)
                ? promise.allocatable()
                : promise.allocatable().plus(Resources.of(ResourceNames.EPHEMERAL_STORAGE, USUAL_STORAGE));
        return new NodeShape(
                promise.name(), labels, promise.taints(), promise.schedulable(), allocatable, promise.gpu());
    }

    private static final List<String> EFFECTS = List.of("NoSchedule", "PreferNoSchedule", "NoExecute");

    /**
     * Local disk that pods may take of a machine whose promise is silent about it, in bytes: what is left of the smallest disk that a cloud
     * gives a node by default, EKS's 20 GiB. A node that is in service tells how much it is.
     */
    private static final long USUAL_STORAGE = 16L << 30;

    /** What the kubelet allows by default; a promise that is silent about pods means this many. */
    private static final long DEFAULT_PODS = 110;

    /**
     * Checks {@code spec} and fills in its defaults, with the sizes of machines that Trainyard comes with.
     *
     * @throws IllegalArgumentException for a value that cannot be used; the message names the field, the value and what was expected
     */
    public static Pool of(String name, TrainingPoolSpec spec) {
        return of(name, spec, MachineSizes.builtIn());
    }

    /**
     * Checks {@code spec} and fills in its defaults.
     *
     * @param sizes those that {@code spec.promise.instanceType} may name
     * @throws IllegalArgumentException for a value that cannot be used; the message names the field, the value and what was expected
     */
    public static Pool of(String name, TrainingPoolSpec spec, MachineSizes sizes) {
        int min = spec.min() == null ? 0 : spec.min();
        int max = spec.max() == null ? DEFAULT_MAX : spec.max();
        int spare = spec.spare() == null ? 0 : spec.spare();
        require(min >= 0, "spec.min: %d is negative", min);
        require(max >= min, "spec.max: %d is less than spec.min, which is %d", max, min);
        require(spare >= 0 && spare <= max, "spec.spare: %d is not between 0 and spec.max, which is %d", spare, max);
        require(spec.provider() != null, "spec.provider: missing");
        require(
                spec.provider().named().size() == 1,
                "spec.provider: names %s, expected exactly one of azureScaleSet, azureVirtualMachines, awsAutoScalingGroup, kwok",
                spec.provider().named().isEmpty() ? "none" : spec.provider().named());
        int most = spec.provider().azureScaleSet() == null
                ? Integer.MAX_VALUE
                : spec.provider().azureScaleSet().most();
        require(
                max <= most,
                "spec.max: %d is more than the %d that the scale set can have; singlePlacementGroup: true means 100, else it is 1000%s",
                max,
                most,
                Trap.ONE_PLACEMENT_GROUP.see());
        require(spec.capacityType() != null, "spec.capacityType: missing, expected spot or on-demand");
        require(spec.promise() != null, "spec.promise: missing, expected labels, taints and allocatable of a new node");
        var scaleDown = Optional.ofNullable(spec.scaleDown());
        var size = PromisedSize.of(spec.promise(), spec.provider(), sizes);
        return new Pool(
                name,
                spec.provider(),
                spec.capacityType(),
                min,
                max,
                spare,
                promise(name, spec.promise(), size),
                ownLabels(spec.promise()),
                size.estimated(),
                startupTaints(spec),
                unreported(spec, size.allocatable()),
                Optional.ofNullable(spec.hourlyPrice())
                        .map(price -> field("spec.hourlyPrice", () -> parsePrice(price))),
                field(
                        "spec.provisionTimeout",
                        () -> Durations.parsePositive(orDefault(spec.provisionTimeout(), "15m"))),
                field(
                        "spec.scaleDown.idleAfter",
                        () -> Durations.parse(scaleDown.map(s -> s.idleAfter()).orElse("10m"))),
                field(
                        "spec.scaleDown.utilizationBelow",
                        () -> parseShare(
                                scaleDown.map(s -> s.utilizationBelow()).orElse("0.5"))),
                field(
                        "spec.scaleDown.drainGrace",
                        () -> Durations.parse(scaleDown.map(s -> s.drainGrace()).orElse("1h"))),
                scaleDown
                        .map(s -> s.billingIncrement())
                        .map(text -> field("spec.scaleDown.billingIncrement", () -> Durations.parsePositive(text))));
    }

    /**
     * The size of machine because of which {@code spec} cannot be used: it names one that {@code sizes} lacks, and does not state what
     * such a machine has.
     */
    public static Optional<String> missingSize(TrainingPoolSpec spec, MachineSizes sizes) {
        return Optional.ofNullable(spec.promise()).flatMap(promise -> PromisedSize.missing(promise, sizes));
    }

    public boolean isSpot() {
        return capacityType == CapacityType.SPOT;
    }

    /** What kind of GPUs a new machine of this pool will have. */
    public GpuKind gpu() {
        return promise.gpu();
    }

    /** GPUs that a new machine of this pool will have. */
    public long promisedGpus() {
        return promise.allocatable().gpus();
    }

    private static Set<String> startupTaints(TrainingPoolSpec spec) {
        var keys = readiness(spec, ReadinessSpec::startupTaints);
        var promised = Optional.ofNullable(spec.promise().taints()).orElse(List.of()).stream()
                .filter(Objects::nonNull)
                .map(TaintSpec::key)
                .toList();
        keys.forEach(key -> require(
                !promised.contains(key),
                "spec.readiness.startupTaints: %s is in spec.promise.taints too; expected a taint that goes when the node is ready",
                key));
        return Set.copyOf(keys);
    }

    private static Resources unreported(TrainingPoolSpec spec, Resources promised) {
        var amounts = new TreeMap<String, Long>();
        for (var name : readiness(spec, ReadinessSpec::unreportedResources)) {
            require(
                    ResourceNames.isDevice(name) && promised.get(name) > 0,
                    "spec.readiness.unreportedResources: %s is not an extended resource of spec.promise.allocatable; state there how much of it a machine has",
                    name);
            amounts.put(name, promised.get(name));
        }
        return Resources.of(amounts);
    }

    private static List<String> readiness(
            TrainingPoolSpec spec, Function<ReadinessSpec, @Nullable List<String>> member) {
        var stated = Optional.ofNullable(spec.readiness()).map(member).orElse(List.of());
        // A file may hold what the API server would refuse.
        require(stated.stream().allMatch(Objects::nonNull), "spec.readiness: an item is null, expected a name");
        return stated;
    }

    private static SortedMap<String, String> ownLabels(PromiseSpec spec) {
        var labels = new TreeMap<>(Optional.ofNullable(spec.labels()).orElse(Map.of()));
        labels.remove(Names.POOL);
        return Collections.unmodifiableSortedMap(labels);
    }

    private static NodeShape promise(String pool, PromiseSpec spec, PromisedSize size) {
        var labels = new HashMap<>(Optional.ofNullable(spec.labels()).orElse(Map.of()));
        // Pods get them in their affinity and tolerations: a wrong one there makes the API server reject every pod of
        // the tier.
        labels.forEach((key, value) -> requireSyntax("spec.promise.labels", key, value));
        labels.put(Names.POOL, pool);
        var stated = Optional.ofNullable(spec.taints()).orElse(List.of());
        // A file may hold what the API server would refuse.
        require(
                stated.stream().allMatch(Objects::nonNull),
                "spec.promise.taints: an item is null, expected key and effect");
        var taints = stated.stream()
                .map(taint -> new Taint(taint.key(), taint.value(), taint.effect()))
                .toList();
        taints.forEach(taint -> {
            requireSyntax("spec.promise.taints", taint.key(), taint.valueOrEmpty());
            require(
                    taint.effect() != null && EFFECTS.contains(taint.effect()),
                    "spec.promise.taints %s: effect '%s' is not one of %s",
                    taint.key(),
                    taint.effect(),
                    String.join(", ", EFFECTS));
        });
        var allocatable = size.allocatable();
        if (allocatable.get(ResourceNames.PODS) == 0) {
            allocatable = allocatable.plus(Resources.of(ResourceNames.PODS, DEFAULT_PODS));
        }
        var gpu = GpuKind.promised(spec.gpu(), labels).orElse(size.gpu());
        return new NodeShape("a new machine of pool " + pool, labels, taints, true, allocatable, gpu);
    }

    private static void requireSyntax(String path, @Nullable String key, @Nullable String value) {
        field(path, () -> {
            if (key == null) { // in a file, which no API server has checked
                throw new IllegalArgumentException("a key is missing");
            }
            LabelSyntax.requireKey(key);
            return key;
        });
        field(path + " " + key, () -> {
            if (value == null) {
                throw new IllegalArgumentException("missing, expected a value; \"\" is one");
            }
            LabelSyntax.requireValue(value);
            return value;
        });
    }

    private static String orDefault(@Nullable String value, String otherwise) {
        return value == null ? otherwise : value;
    }

    private static BigDecimal parsePrice(String text) {
        try {
            var price = new BigDecimal(text);
            if (price.signum() >= 0) {
                return price;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException("'%s' is not a price such as 0.61".formatted(text));
    }

    private static double parseShare(String text) {
        try {
            double share = Double.parseDouble(text);
            if (share >= 0 && share <= 1) {
                return share;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException("'%s' is not a share between 0 and 1, such as 0.5".formatted(text));
    }

    private static <T> T field(String path, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(path + ": " + e.getMessage());
        }
    }

    private static void require(boolean holds, String message, Object... arguments) {
        if (!holds) {
            throw new IllegalArgumentException(message.formatted(arguments));
        }
    }
}
