package dev.trainyard.cli.importing;

import dev.trainyard.core.api.LabelSyntax;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.api.TrainingPoolSpec.CapacityType;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.api.TrainingPoolSpec.ScaleDownSpec;
import dev.trainyard.core.api.TrainingPoolSpec.TaintSpec;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.machine.MachineSizes;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.core.resource.Quantities;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** A pool whose file is being read. Invalid labels and taints are left out, and reported in {@link ImportRemarks}. */
final class PoolDraft {

    /** The most machines that the CustomResourceDefinition of TrainingPool allows. */
    private static final int LIMIT = 5000;

    final String place;
    final String origin;
    final String name;
    final ProviderSpec provider;
    private final ImportRemarks remarks;

    private CapacityType capacityType = CapacityType.ON_DEMAND;
    private int min;
    private int max = Pool.DEFAULT_MAX;
    private int most = LIMIT;
    private IntConsumer above = maximum -> {};
    private final Map<String, String> labels = new TreeMap<>();
    private final List<TaintSpec> taints = new ArrayList<>();
    private final Map<String, Quantity> allocatable = new TreeMap<>();
    private @Nullable String instanceType;
    private @Nullable String provisionTimeout;
    private @Nullable String idleAfter;
    private @Nullable String utilizationBelow;

    /**
     * @param place the place in the file, for remarks
     * @param origin the kind and name of the source object, for readers of the generated files
     * @param name the name in the file
     */
    PoolDraft(String place, String origin, String name, ProviderSpec provider, ImportRemarks remarks) {
        this.place = place;
        this.origin = origin;
        this.name = name;
        this.provider = provider;
        this.remarks = remarks;
    }

    void spot(boolean spot) {
        capacityType = spot ? CapacityType.SPOT : CapacityType.ON_DEMAND;
    }

    boolean isSpot() {
        return capacityType == CapacityType.SPOT;
    }

    void between(int least, int most) {
        min = Math.min(least, LIMIT);
        max = Math.min(most, LIMIT);
        if (most > LIMIT) {
            remarks.add(
                    place,
                    String.valueOf(most),
                    "a pool has at most %d machines: spec.max is lowered to this limit".formatted(LIMIT));
        }
    }

    int max() {
        return max;
    }

    /**
     * Sets the most machines that the cloud allows. {@link #applyLimit} lowers the maximum to that number.
     *
     * @param exceeded called with the maximum before it is lowered
     */
    void limit(int machines, IntConsumer exceeded) {
        most = machines;
        above = exceeded;
    }

    /** Lowers the maximum to the limit of the cloud. Callers must first read all sources of the minimum and the maximum. */
    void applyLimit() {
        if (max > most) {
            above.accept(max);
            most(most);
        }
    }

    /** Sets the maximum, and lowers the minimum to it if necessary. */
    void most(int machines) {
        max = machines;
        min = Math.min(min, machines);
    }

    void size(String size) {
        instanceType = MachineSizes.builtIn().find(size).map(MachineSize::name).orElse(size);
    }

    /** Returns the machine size; empty if it is missing or unknown. */
    Optional<MachineSize> machine() {
        return Optional.ofNullable(instanceType).flatMap(MachineSizes.builtIn()::find);
    }

    /** @throws IllegalArgumentException if the size of the machines is missing; the message names the fields to set */
    void requireASize() {
        if (instanceType == null && (!allocatable.containsKey("cpu") || !allocatable.containsKey("memory"))) {
            throw new IllegalArgumentException(
                    "spec.promise.instanceType: missing; set this field, or set spec.promise.allocatable (cpu, memory and, for GPU machines, nvidia.com/gpu)");
        }
    }

    boolean hasGpus() {
        return machine().map(size -> size.gpus() > 0).orElse(false);
    }

    void label(String place, String key, String value) {
        try {
            LabelSyntax.requireKey(key);
            LabelSyntax.requireValue(value);
            labels.put(key, value);
        } catch (IllegalArgumentException e) {
            remarks.add(place, key + "=" + value, "label left out: " + e.getMessage());
        }
    }

    boolean hasLabel(String key, String value) {
        return value.equals(labels.get(key));
    }

    /** @param text {@code key=value:Effect}, or without a value {@code key:Effect} */
    void taint(String place, String text) {
        int colon = text.lastIndexOf(':');
        var pair = colon < 0 ? text : text.substring(0, colon);
        int equals = pair.indexOf('=');
        var key = equals < 0 ? pair : pair.substring(0, equals);
        var value = equals < 0 ? "" : pair.substring(equals + 1);
        var effect = text.substring(colon + 1);
        try {
            if (colon < 0
                    || !List.of("NoSchedule", "PreferNoSchedule", "NoExecute").contains(effect)) {
                throw new IllegalArgumentException("expected key=value:NoSchedule, PreferNoSchedule or NoExecute");
            }
            LabelSyntax.requireKey(key);
            LabelSyntax.requireValue(value);
            var taint = new TaintSpec(key, value.isEmpty() ? null : value, effect);
            if (!taints.contains(taint)) {
                taints.add(taint);
            }
        } catch (IllegalArgumentException e) {
            remarks.add(place, text, "taint left out: " + e.getMessage());
        }
    }

    void allocatable(String place, String resource, String amount) {
        try {
            Quantities.parse(resource, amount);
            allocatable.put(resource, new Quantity(amount));
        } catch (IllegalArgumentException e) {
            remarks.add(place, amount, "left out: expected an amount of %s".formatted(resource));
        }
    }

    /** Sets only values that are not set yet. Settings of a group are read first, so they override settings for all groups. */
    void timing(Timing timing) {
        var below = hasGpus() && timing.gpuUtilizationBelow().isPresent()
                ? timing.gpuUtilizationBelow()
                : timing.utilizationBelow();
        provisionTimeout = provisionTimeout == null ? timing.provisionTimeout().orElse(null) : provisionTimeout;
        idleAfter = idleAfter == null ? timing.idleAfter().orElse(null) : idleAfter;
        utilizationBelow = utilizationBelow == null ? below.orElse(null) : utilizationBelow;
    }

    TrainingPoolSpec spec() {
        return new TrainingPoolSpec(
                provider,
                capacityType,
                min,
                max,
                null,
                new PromiseSpec(
                        labels.isEmpty() ? null : labels,
                        taints.isEmpty() ? null : taints,
                        allocatable.isEmpty() ? null : allocatable,
                        instanceType,
                        null),
                null,
                provisionTimeout,
                idleAfter == null && utilizationBelow == null
                        ? null
                        : new ScaleDownSpec(idleAfter, utilizationBelow, null, null));
    }
}
