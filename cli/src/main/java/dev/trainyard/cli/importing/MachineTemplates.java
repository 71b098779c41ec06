package dev.trainyard.cli.importing;

import dev.trainyard.core.api.ProviderSpec.AzureImage;
import dev.trainyard.core.api.ProviderSpec.AzureMachineTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A builder of templates for new machines of an availability set, from files of acs-engine and aks-engine. The scaler copies missing
 * values from an existing machine of the pool, if there is one.
 */
final class MachineTemplates {

    private MachineTemplates() {}

    /**
     * Returns the template from the definition of a cluster, {@code apimodel.json}.
     *
     * @param profile the profile of the pool
     * @param linux the linuxProfile of the cluster
     * @param location empty if unknown
     */
    static AzureMachineTemplate ofProfile(
            TrackedObject profile, TrackedObject linux, String location, AzureCluster cluster, String availabilitySet) {
        var image = profile.section(profile.has("imageReference") ? "imageReference" : "imageRef");
        var size = profile.number("osDiskSizeGB");
        return new AzureMachineTemplate(
                location.isEmpty() ? null : location,
                profile.text("vmSize").orElse(null),
                image(image, cluster),
                profile.text("vnetSubnetId").orElse(null),
                size.orElse(0) > 0 ? size.getAsInt() : null,
                null,
                linux.text("adminUsername").orElse(null),
                linux.section("ssh").sections("publicKeys").stream()
                        .flatMap(key -> key.text("keyData").stream())
                        .findFirst()
                        .orElse(null),
                cluster.availabilitySet(availabilitySet),
                null,
                null);
    }

    /**
     * Returns the template from the parameters of a deployment, {@code azuredeploy.parameters.json}.
     *
     * @param told returns the value of a parameter by its name; empty if the file has no value
     */
    static AzureMachineTemplate ofParameters(
            String pool, Function<String, Optional<String>> told, AzureCluster cluster, String availabilitySet) {
        return new AzureMachineTemplate(
                told.apply("location").map(AzureCluster::location).orElse(null),
                told.apply(pool + "VMSize").orElse(null),
                image(told, pool, cluster),
                told.apply(pool + "VnetSubnetID").orElse(null),
                null,
                null,
                told.apply("linuxAdminUsername").orElse(null),
                told.apply("sshRSAPublicKey").orElse(null),
                cluster.availabilitySet(availabilitySet),
                null,
                null);
    }

    /** Returns advice on the fields that a user must set before a pool with this template can grow. */
    static String toBeStated(AzureMachineTemplate template) {
        var missing = new ArrayList<String>();
        require(missing, "location", template.location());
        require(missing, "image", template.image());
        require(missing, "subnetId", template.subnetId());
        require(missing, "adminUsername", template.adminUsername());
        require(missing, "sshPublicKey", template.sshPublicKey());
        return "to grow, the pool needs spec.provider.azureVirtualMachines.template.customDataFile, with which machines join; no imported file has it"
                + (missing.isEmpty()
                        ? ""
                        : "; if the pool has no machine to copy from, the pool also needs " + String.join(", ", missing)
                                + " in the template");
    }

    private static void require(List<String> missing, String member, @Nullable Object value) {
        if (value == null) {
            missing.add(member);
        }
    }

    private static @Nullable AzureImage image(TrackedObject image, AzureCluster cluster) {
        var name = image.text("name");
        var group = image.text("resourceGroup");
        if (name.isEmpty() || group.isEmpty()) {
            return null;
        }
        var subscription = image.text("subscriptionId").orElse(cluster.subscriptionId());
        var compute =
                "/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Compute".formatted(subscription, group.get());
        var gallery = image.text("gallery");
        var version = image.text("version");
        return imageOfId(
                gallery.isPresent() && version.isPresent()
                        ? "%s/galleries/%s/images/%s/versions/%s"
                                .formatted(compute, gallery.get(), name.get(), version.get())
                        : "%s/images/%s".formatted(compute, name.get()));
    }

    /**
     * Returns the image of a pool; null if unknown. Parameter files of later versions of acs-engine have one image per pool; those of
     * earlier versions have one image for all pools.
     */
    private static @Nullable AzureImage image(
            Function<String, Optional<String>> told, String pool, AzureCluster cluster) {
        for (var prefix : new String[] {pool + "osImage", "osImage"}) {
            var name = told.apply(prefix + "Name");
            var group = told.apply(prefix + "ResourceGroup");
            if (name.isPresent() && group.isPresent()) {
                return imageOfId("/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Compute/images/%s"
                        .formatted(cluster.subscriptionId(), group.get(), name.get()));
            }
            var publisher = told.apply(prefix + "Publisher");
            var offer = told.apply(prefix + "Offer");
            var sku = told.apply(prefix + "SKU");
            if (publisher.isPresent() && offer.isPresent() && sku.isPresent()) {
                return new AzureImage(
                        null,
                        publisher.get(),
                        offer.get(),
                        sku.get(),
                        told.apply(prefix + "Version").orElse(null));
            }
        }
        return null;
    }

    private static AzureImage imageOfId(String id) {
        return new AzureImage(id, null, null, null, null);
    }
}
