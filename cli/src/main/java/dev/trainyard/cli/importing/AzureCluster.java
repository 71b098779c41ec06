package dev.trainyard.cli.importing;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AzureMachineTemplate;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The data that a cluster's definition lacks, because they are known only after the cluster exists.
 *
 * @param nameSuffix the eight digits in the names of the cluster's machines; empty to take the digits from the file
 * @param missing collects the options for unknown values; callers check {@code missing} before they use any result
 */
record AzureCluster(String subscriptionId, String resourceGroup, Optional<String> nameSuffix, MissingOptions missing) {

    static AzureCluster of(
            Optional<String> subscriptionId,
            Optional<String> resourceGroup,
            Optional<String> nameSuffix,
            MissingOptions missing) {
        if (subscriptionId.isEmpty()) {
            missing.add("--subscription-id", "the Azure subscription of the cluster");
        }
        if (resourceGroup.isEmpty()) {
            missing.add("--resource-group", "the resource group of the cluster's machines");
        }
        return new AzureCluster(subscriptionId.orElse(""), resourceGroup.orElse(""), nameSuffix, missing);
    }

    /** Returns the location in the form of node labels: {@code westeurope} for West Europe. */
    static String location(String text) {
        return text.toLowerCase(Locale.ROOT).replace(" ", "");
    }

    /** Returns the name suffix. If neither the user nor the file has a suffix, reports {@code --name-suffix} as missing. */
    String suffix(Optional<String> inFile, String place) {
        var suffix = nameSuffix.or(() -> inFile);
        if (suffix.isEmpty()) {
            missing.add(
                    "--name-suffix",
                    ("the digits in the names of machines that `kubectl get nodes` shows, such as 12345678 of"
                                    + " k8s-agentpool1-12345678-0 (%s: missing)")
                            .formatted(place));
        }
        return suffix.orElse("");
    }

    /** @param singlePlacementGroup whether the scale set has a single placement group; null if unknown */
    ProviderSpec scaleSet(String name, @Nullable Boolean singlePlacementGroup) {
        return new ProviderSpec(
                new ProviderSpec.AzureScaleSet(subscriptionId, resourceGroup, name, singlePlacementGroup),
                null,
                null,
                null);
    }

    ProviderSpec virtualMachines(String pool, String suffix, AzureMachineTemplate template) {
        return new ProviderSpec(
                null,
                new ProviderSpec.AzureVirtualMachines(
                        subscriptionId, resourceGroup, "k8s-%s-%s-".formatted(pool, suffix), template),
                null,
                null);
    }

    /** Returns the resource id of an availability set. */
    String availabilitySet(String name) {
        return "/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Compute/availabilitySets/%s"
                .formatted(subscriptionId, resourceGroup, name);
    }
}
