package dev.trainyard.core.pool;

import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.TrainingPoolSpec.PromiseSpec;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.machine.Cloud;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.machine.MachineSizes;
import dev.trainyard.core.machine.SizeNames;
import dev.trainyard.core.resource.ResourceNames;
import dev.trainyard.core.resource.Resources;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The resources of a pool's new machine that pods may take. Amounts that the promise states are used first; the size of the machine
 * provides the rest.
 *
 * @param estimated names of the resources whose amounts come from the machine size
 * @param gpu kind of GPU of the machine size
 */
record PromisedSize(Resources allocatable, Set<String> estimated, GpuKind gpu) {

    private static final String FIELD = "spec.promise.instanceType";

    PromisedSize {
        estimated = Set.copyOf(estimated);
    }

    /** @throws IllegalArgumentException if a size or an amount is invalid; the message names field, value and what was expected */
    static PromisedSize of(PromiseSpec promise, ProviderSpec provider, MachineSizes sizes) {
        var stated = Resources.parse("spec.promise.allocatable", promise.allocatable());
        var name = promise.instanceType();
        if (name == null) {
            return new PromisedSize(stated, Set.of(), GpuKind.UNKNOWN);
        }
        if (missing(promise, sizes).isPresent()) {
            throw new IllegalArgumentException(unknown(name, sizes));
        }
        return sizes.find(name)
                .map(size -> {
                    checkCloud(size, provider);
                    return filledIn(stated, statedNames(promise), size);
                })
                .orElseGet(() -> new PromisedSize(stated, Set.of(), GpuKind.UNKNOWN));
    }

    /** Returns the size that a promise needs but {@code sizes} lacks; empty if no size is missing. */
    static Optional<String> missing(PromiseSpec promise, MachineSizes sizes) {
        return Optional.ofNullable(promise.instanceType())
                .filter(name -> sizes.find(name).isEmpty())
                .filter(name -> !statedNames(promise).containsAll(List.of(ResourceNames.CPU, ResourceNames.MEMORY)));
    }

    private static PromisedSize filledIn(Resources stated, Set<String> statedNames, MachineSize size) {
        var amounts = new TreeMap<>(stated.asMap());
        var estimated = new HashSet<String>();
        size.allocatable().asMap().forEach((resource, amount) -> {
            if (!statedNames.contains(resource)) {
                amounts.put(resource, amount);
                estimated.add(resource);
            }
        });
        return new PromisedSize(Resources.of(amounts), estimated, size.gpu());
    }

    /** Returns the names of the stated resources, including those with a zero amount. */
    private static Set<String> statedNames(PromiseSpec promise) {
        return Optional.ofNullable(promise.allocatable()).orElse(Map.of()).keySet().stream()
                .map(ResourceNames::canonical)
                .collect(Collectors.toSet());
    }

    private static String unknown(String name, MachineSizes sizes) {
        var near = SizeNames.near(name, sizes);
        return "%s: '%s' is not a known machine size%s; state spec.promise.allocatable with cpu, memory and, for GPU machines, %s%s"
                .formatted(
                        FIELD,
                        name,
                        near.isEmpty() ? "" : "; similar sizes: " + String.join(", ", near),
                        ResourceNames.GPU,
                        TroubleshootingTopic.UNKNOWN_SIZE.see());
    }

    private static void checkCloud(MachineSize size, ProviderSpec provider) {
        Cloud.of(provider).filter(own -> own != size.cloud()).ifPresent(own -> {
            throw new IllegalArgumentException("%s: '%s' is a machine size of %s, but spec.provider.%s belongs to %s"
                    .formatted(
                            FIELD, size.name(), size.cloud(), provider.named().get(0), own));
        });
    }
}
