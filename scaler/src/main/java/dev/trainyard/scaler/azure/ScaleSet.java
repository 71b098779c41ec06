package dev.trainyard.scaler.azure;

import com.azure.resourcemanager.compute.fluent.models.VirtualMachineScaleSetInner;
import com.azure.resourcemanager.compute.models.OrchestrationMode;
import com.azure.resourcemanager.compute.models.VirtualMachineEvictionPolicyTypes;
import com.azure.resourcemanager.compute.models.VirtualMachinePriorityTypes;
import dev.trainyard.core.api.ProviderSpec.AzureScaleSet;
import dev.trainyard.core.pool.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A scale set as Azure describes it.
 *
 * @param etag changes with the description; a change is made on what was read or not at all
 * @param state of the last change: Succeeded, Failed, Updating, ...
 * @param size the machine size, such as Standard_NC6s_v3
 * @param spot whether machines are low-priority ones
 * @param deallocates whether an evicted machine stays as a stopped one
 * @param onePlacementGroup whether all machines are in one, which holds 100
 */
record ScaleSet(
        String etag,
        int capacity,
        String state,
        String size,
        String tier,
        boolean spot,
        boolean deallocates,
        boolean onePlacementGroup,
        boolean overprovisions,
        boolean flexible,
        Map<String, String> tags) {

    private static final String INSTANCE_TYPE = "node.kubernetes.io/instance-type";

    /** @throws ArmException when it lacks what no scale set lacks: a size that was not told is not taken for zero */
    static ScaleSet of(VirtualMachineScaleSetInner told) throws ArmException {
        var sku = told.sku();
        var capacity = sku == null ? null : sku.capacity();
        if (sku == null || capacity == null || capacity < 0 || capacity > Integer.MAX_VALUE) {
            throw new ArmException(ArmError.of(0, "", "the scale set's description has no sku.capacity"));
        }
        var profile = Optional.ofNullable(told.virtualMachineProfile());
        var priority = profile.map(p -> p.priority()).orElse(VirtualMachinePriorityTypes.REGULAR);
        boolean spot =
                priority.equals(VirtualMachinePriorityTypes.SPOT) || priority.equals(VirtualMachinePriorityTypes.LOW);
        return new ScaleSet(
                orEmpty(told.etag()),
                capacity.intValue(),
                orEmpty(told.provisioningState()),
                orEmpty(sku.name()),
                orEmpty(sku.tier()),
                spot,
                // What is not said is Deallocate.
                spot
                        && !profile.map(p -> p.evictionPolicy())
                                .filter(VirtualMachineEvictionPolicyTypes.DELETE::equals)
                                .isPresent(),
                !Boolean.FALSE.equals(told.singlePlacementGroup()),
                Boolean.TRUE.equals(told.overprovision()),
                OrchestrationMode.FLEXIBLE.equals(told.orchestrationMode()),
                Optional.ofNullable(told.tags()).orElse(Map.of()));
    }

    /** The most machines that it can have. */
    int limit() {
        return onePlacementGroup ? AzureScaleSet.MOST_IN_ONE_GROUP : AzureScaleSet.MOST;
    }

    boolean changes() {
        return !settled();
    }

    boolean failed() {
        return state.equalsIgnoreCase("Failed");
    }

    private boolean settled() {
        return failed() || state.equalsIgnoreCase("Succeeded") || state.equalsIgnoreCase("Canceled");
    }

    /** What an administrator should know, in whole sentences. */
    List<String> warnings(Pool pool) {
        var warnings = new ArrayList<String>();
        if (deallocates) {
            warnings.add(
                    "its eviction policy is Deallocate: evicted machines stay, cost their disks and count against quota; they are"
                            + " deleted here, but a scale set with eviction policy Delete is better");
        }
        if (spot != pool.isSpot()) {
            warnings.add("its machines are %s ones, and spec.capacityType says %s"
                    .formatted(spot ? "spot" : "on-demand", pool.capacityType()));
        }
        if (pool.max() > limit()) {
            warnings.add(tooMany(pool.max()));
        }
        if (overprovisions) {
            warnings.add("it overprovisions: machines come that Azure removes again; set overprovision to false");
        }
        var promisedSize = pool.promise().labels().get(INSTANCE_TYPE);
        if (promisedSize != null && !promisedSize.equalsIgnoreCase(size)) {
            warnings.add("its machines are of size %s, and spec.promise.labels says %s".formatted(size, promisedSize));
        }
        var promisedByTags = NodeTemplateTags.of(tags);
        warnings.addAll(promisedByTags.problems());
        warnings.addAll(promisedByTags.against(pool.promise()));
        return warnings;
    }

    String tooMany(int wanted) {
        return "%d machines are more than the %d that it can have with singlePlacementGroup: %s; lower spec.max"
                .formatted(wanted, limit(), onePlacementGroup);
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
