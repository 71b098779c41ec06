package dev.trainyard.cli.importing;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AzureMachineTemplate;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a definition does not say of its cluster, since it is known only once the cluster is there.
 *
 * @param nameSuffix the eight digits in the names of its machines; empty when the file says them
 */
record AzureCluster(String subscriptionId, String resourceGroup, Optional<String> nameSuffix) {

    /** As nodes are labelled with it: {@code westeurope} for West Europe. */
    static String location(String text) {
        return text.toLowerCase(Locale.ROOT).replace(" ", "");
    }

    /** @throws IllegalArgumentException when nobody says the suffix; the message says where to find it */
    String suffix(Optional<String> inFile, String place) {
        return nameSuffix
                .or(() -> inFile)
                .orElseThrow(() -> new IllegalArgumentException(
                        ("%s: missing, and needed for the names of machines: add --name-suffix with the digits that"
                                        + " `kubectl get nodes` shows, such as 12345678 of k8s-agentpool1-12345678-0")
                                .formatted(place)));
    }

    /** @param singlePlacementGroup null when it is not told */
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

    /** The resource id of an availability set. */
    String availabilitySet(String name) {
        return "/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Compute/availabilitySets/%s"
                .formatted(subscriptionId, resourceGroup, name);
    }
}
