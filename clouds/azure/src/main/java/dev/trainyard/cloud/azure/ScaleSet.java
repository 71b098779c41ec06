package dev.trainyard.cloud.azure;

import com.azure.resourcemanager.compute.fluent.models.VirtualMachineScaleSetInner;
import com.azure.resourcemanager.compute.models.AutomaticOSUpgradePolicy;
import com.azure.resourcemanager.compute.models.AutomaticRepairsPolicy;
import com.azure.resourcemanager.compute.models.OrchestrationMode;
import com.azure.resourcemanager.compute.models.UpgradeMode;
import com.azure.resourcemanager.compute.models.UpgradePolicy;
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
 * @param etag a value that changes with the description; Azure makes a change only if the value in the request still matches
 * @param state the state of the last change: Succeeded, Failed, Updating, ...
 * @param kind the kind of its machines
 * @param onePlacementGroup whether all machines are in one placement group, which holds at most 100 machines; false for a flexible set
 * @param flexible whether its machines are separate virtual machines
 * @param replaces the settings by which Azure may restart or replace machines that run pods
 */
record ScaleSet(
        String etag,
        int capacity,
        String state,
        MachineKind kind,
        String tier,
        boolean onePlacementGroup,
        boolean overprovisions,
        boolean flexible,
        List<String> replaces,
        Map<String, String> tags) {

    /** @throws ArmException if the size is missing; a missing size is never taken for zero */
    static ScaleSet of(VirtualMachineScaleSetInner told) throws ArmException {
        var sku = told.sku();
        var capacity = sku == null ? null : sku.capacity();
        if (sku == null || capacity == null || capacity < 0 || capacity > Integer.MAX_VALUE) {
            throw new ArmException(ArmError.of(0, "", "the scale set's sku.capacity is missing or out of range"));
        }
        var profile = Optional.ofNullable(told.virtualMachineProfile());
        boolean flexible = OrchestrationMode.FLEXIBLE.equals(told.orchestrationMode());
        return new ScaleSet(
                orEmpty(told.etag()),
                capacity.intValue(),
                orEmpty(told.provisioningState()),
                MachineKind.of(
                        sku.name(),
                        profile.map(p -> p.priority()).orElse(null),
                        profile.map(p -> p.evictionPolicy()).orElse(null)),
                orEmpty(sku.tier()),
                !flexible && !Boolean.FALSE.equals(told.singlePlacementGroup()),
                Boolean.TRUE.equals(told.overprovision()),
                flexible,
                replaces(told),
                Optional.ofNullable(told.tags()).orElse(Map.of()));
    }

    /**
     * Returns the settings by which Azure may restart or replace machines that run pods. Sources: "Modify a Virtual Machine Scale Set",
     * "Automatic OS image upgrades" and "Automatic instance repairs" of Azure's documentation. None of these three features checks whether
     * a machine runs pods.
     */
    private static List<String> replaces(VirtualMachineScaleSetInner told) {
        var upgrades = Optional.ofNullable(told.upgradePolicy());
        var found = new ArrayList<String>();
        upgrades.map(UpgradePolicy::mode)
                .filter(mode -> mode != UpgradeMode.MANUAL)
                .ifPresent(mode -> found.add("upgradePolicy.mode " + mode + "; set the mode to Manual"));
        if (upgrades.map(UpgradePolicy::automaticOSUpgradePolicy)
                .map(AutomaticOSUpgradePolicy::enableAutomaticOSUpgrade)
                .orElse(false)) {
            found.add("upgradePolicy.automaticOSUpgradePolicy.enableAutomaticOSUpgrade; set the field to false");
        }
        if (Optional.ofNullable(told.automaticRepairsPolicy())
                .map(AutomaticRepairsPolicy::enabled)
                .orElse(false)) {
            found.add("automaticRepairsPolicy.enabled; set the field to false");
        }
        return List.copyOf(found);
    }

    /** Returns the maximum number of machines. */
    int limit() {
        return onePlacementGroup ? AzureScaleSet.MOST_IN_ONE_GROUP : AzureScaleSet.MOST;
    }

    String size() {
        return kind.size();
    }

    boolean spot() {
        return kind.spot();
    }

    boolean deallocates() {
        return kind.deallocates();
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

    /** Returns warnings for the administrator, in whole sentences. */
    List<String> warnings(Pool pool) {
        var warnings = new ArrayList<>(kind.warnings(pool));
        if (pool.max() > limit()) {
            warnings.add(tooMany(pool.max()));
        }
        if (overprovisions) {
            warnings.add(
                    "its overprovision is true: Azure creates surplus machines and removes them again; set overprovision to false");
        }
        replaces.forEach(setting ->
                warnings.add("Azure may restart or replace its machines during trainings, because of " + setting));
        var promisedByTags = NodeTemplateTags.of(tags);
        warnings.addAll(promisedByTags.problems());
        warnings.addAll(promisedByTags.against(pool.promise()));
        return warnings;
    }

    String tooMany(int wanted) {
        return "%d machines are more than the maximum of %d with singlePlacementGroup: %s; lower spec.max"
                .formatted(wanted, limit(), onePlacementGroup);
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }
}
