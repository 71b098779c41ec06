package dev.trainyard.core.pool;

import dev.trainyard.core.Durations;
import dev.trainyard.core.Names;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.api.LabelSyntax;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.api.TrainingPoolSpec.ReadinessSpec;
import dev.trainyard.core.api.TrainingPoolSpec.TaintSpec;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.machine.MachineSizes;
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
 * A set of identical machines that one cloud resource can grow and shrink. The values are validated, and defaults are filled in.
 *
 * @param min the fewest machines
 * @param max the most machines
 * @param spare number of idle machines to keep
 * @param promise the expected properties of a new node; its labels include {@link Names#POOL}
 * @param ownLabels the promised labels without {@link Names#POOL}; the provider or the scaler adds that label to nodes
 * @param estimated names of the promised resources that are not stated but estimated from the size of the machine. The estimates tend to be
 *     too low
 * @param startupTaints keys of taints that a new node has until it is ready for pods, in addition to well-known taints such as
 *     {@code node.kubernetes.io/not-ready}
 * @param unreported resources of the promise that nodes never report
 * @param hourlyPrice price of one machine for an hour; empty if it is not stated
 * @param provisionTimeout time after which a requested machine that is not usable yet is abandoned
 * @param idleAfter time without a training pod after which a machine is removed
 * @param utilizationBelow share of used capacity, 0 to 1, below which a machine may be drained
 * @param drainGrace time after the scheduling of a pod during which the pod's machine is not drained
 * @param billingIncrement length of the steps in which machines are billed; empty if machines may be removed at any time
 * @param sick the rules for the replacement of broken machines
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
        Optional<Duration> billingIncrement,
        SickMachines sick) {

    /** The default of {@code max}, which was acs-engine's own limit. */
    public static final int DEFAULT_MAX = 100;

    /**
     * The labels that the kubelet of a usual machine adds to its node. A new machine is assumed to have these labels unless the promise
     * states other values, such as {@code kubernetes.io/arch: arm64}.
     */
    public static final Map<String, String> USUAL_LABELS =
            Map.of("kubernetes.io/os", "linux", "kubernetes.io/arch", "amd64");

    /**
     * Returns the expected new node: the promise, completed with the {@linkplain #USUAL_LABELS usual labels} and the usual amount of local
     * disk.
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
     * The assumed local disk for pods, in bytes, if the promise does not state it. The smallest default disk of a node in any cloud has 20
     * GiB (EKS). 16 GiB are assumed for pods; the system uses the other 4 GiB. A node in service reports the real amount.
     */
    private static final long USUAL_STORAGE = 16L << 30;

    /** The kubelet's default limit of pods. The limit applies if the promise does not state a number of pods. */
    private static final long DEFAULT_PODS = 110;

    /**
     * Checks {@code spec} and fills in its defaults, with Trainyard's built-in machine sizes.
     *
     * @throws IllegalArgumentException if a value is invalid; the message names the field, the value and what was expected
     */
    public static Pool of(String name, TrainingPoolSpec spec) {
        return of(name, spec, MachineSizes.builtIn());
    }

    /**
     * Checks {@code spec} and fills in its defaults.
     *
     * @param sizes machine sizes that {@code spec.promise.instanceType} may name
     * @throws IllegalArgumentException if a value is invalid; the message names the field, the value and what was expected
     */
    public static Pool of(String name, TrainingPoolSpec spec, MachineSizes sizes) {
        int min = spec.min() == null ? 0 : spec.min();
        int max = spec.max() == null ? DEFAULT_MAX : spec.max();
        int spare = spec.spare() == null ? 0 : spec.spare();
        require(min >= 0, "spec.min: %d is negative", min);
        require(max >= min, "spec.max: %d is less than spec.min, which is %d", max, min);
        require(spare >= 0 && spare <= max, "spec.spare: %d is not between 0 and spec.max, which is %d", spare, max);
        require(spec.provider() != null, "spec.provider: missing, expected a cloud resource, such as azureScaleSet");
        require(
                spec.provider().named().size() == 1,
                "spec.provider: names %s, expected exactly one of %s",
                spec.provider().named().isEmpty() ? "none" : spec.provider().named(),
                ProviderSpec.MEMBERS_TEXT);
        int most = spec.provider().azureScaleSet() == null
                ? Integer.MAX_VALUE
                : spec.provider().azureScaleSet().most();
        require(
                max <= most,
                "spec.max: %d is more than %d, the limit of the scale set; the limit is 100 with singlePlacementGroup: true, and 1000 otherwise%s",
                max,
                most,
                TroubleshootingTopic.ONE_PLACEMENT_GROUP.see());
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
                        .map(text -> field("spec.scaleDown.billingIncrement", () -> Durations.parsePositive(text))),
                SickMachines.of(scaleDown.map(s -> s.sick()).orElse(null)));
    }

    /**
     * Returns the machine size that {@code spec} needs but {@code sizes} lacks; empty if no size is missing. The spec is unusable without
     * this size. A spec needs no size if its promise states CPU and memory.
     */
    public static Optional<String> missingSize(TrainingPoolSpec spec, MachineSizes sizes) {
        return Optional.ofNullable(spec.promise()).flatMap(promise -> PromisedSize.missing(promise, sizes));
    }

    public boolean isSpot() {
        return capacityType == CapacityType.SPOT;
    }

    /** Returns the kind of GPU of a new machine of this pool. */
    public GpuKind gpu() {
        return promise.gpu();
    }

    /** Returns the number of GPUs of a new machine of this pool. */
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
                "spec.readiness.startupTaints: %s is also in spec.promise.taints; expected a taint that is removed when the node is ready",
                key));
        return Set.copyOf(keys);
    }

    private static Resources unreported(TrainingPoolSpec spec, Resources promised) {
        var amounts = new TreeMap<String, Long>();
        for (var name : readiness(spec, ReadinessSpec::unreportedResources)) {
            require(
                    ResourceNames.isDevice(name) && promised.get(name) > 0,
                    "spec.readiness.unreportedResources: %s is not an extended resource of spec.promise.allocatable; "
                            + "name an extended resource, and state its amount per machine in spec.promise.allocatable",
                    name);
            amounts.put(name, promised.get(name));
        }
        return Resources.of(amounts);
    }

    private static List<String> readiness(
            TrainingPoolSpec spec, Function<ReadinessSpec, @Nullable List<String>> member) {
        var stated = Optional.ofNullable(spec.readiness()).map(member).orElse(List.of());
        // A file may contain values that the API server would reject.
        require(stated.stream().allMatch(Objects::nonNull), "spec.readiness: a list item is null, expected a name");
        return stated;
    }

    private static SortedMap<String, String> ownLabels(PromiseSpec spec) {
        var labels = new TreeMap<>(Optional.ofNullable(spec.labels()).orElse(Map.of()));
        labels.remove(Names.POOL);
        return Collections.unmodifiableSortedMap(labels);
    }

    private static NodeShape promise(String pool, PromiseSpec spec, PromisedSize size) {
        var labels = new HashMap<>(Optional.ofNullable(spec.labels()).orElse(Map.of()));
        // Pods get these labels and taints in their affinity and tolerations. An invalid value makes the API server
        // reject every pod of the tier.
        labels.forEach((key, value) -> requireSyntax("spec.promise.labels", key, value));
        labels.put(Names.POOL, pool);
        var stated = Optional.ofNullable(spec.taints()).orElse(List.of());
        // A file may contain values that the API server would reject.
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
            if (key == null) { // possible in a file, which no API server has validated
                throw new IllegalArgumentException("a key is missing");
            }
            LabelSyntax.requireKey(key);
            return key;
        });
        field(path + " " + key, () -> {
            if (value == null) {
                throw new IllegalArgumentException("missing, expected a value; \"\" is allowed");
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
            // reported below
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
            // reported below
        }
        throw new IllegalArgumentException("'%s' is not a share between 0 and 1, such as 0.5".formatted(text));
    }

    /**
     * Returns the value of a field.
     *
     * @throws IllegalArgumentException if {@code value} throws it; the message begins with {@code path}
     */
    static <T> T field(String path, Supplier<T> value) {
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
