package dev.trainyard.cloud.azure;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of an Azure resource, from a resource id or from a node's {@code spec.providerID}. Azure's own services write the same id in
 * different case, so ids are compared without case. The parts keep their case.
 *
 * @param parent the scale set of an instance; empty for a single machine and for a scale set
 * @param name the name of the scale set or machine; for an instance of a scale set, its number
 */
record AzureId(String subscription, String resourceGroup, String type, Optional<String> parent, String name) {

    static final String SCHEME = "azure://";
    private static final String SET = "virtualMachineScaleSets";
    private static final String MACHINE = "virtualMachines";

    private static final Pattern RESOURCE = Pattern.compile(
            "/subscriptions/([^/]+)/resourceGroups/([^/]+)/providers/Microsoft\\.Compute/"
                    + "(?:virtualMachineScaleSets/([^/]+)/virtualMachines/([^/]+)|(virtualMachines|virtualMachineScaleSets)/([^/]+))",
            Pattern.CASE_INSENSITIVE);

    /**
     * Parses the id of a resource.
     *
     * @return the name; empty if the id is not that of a scale set or machine, such as another cloud's id
     */
    static Optional<AzureId> ofResource(@Nullable String id) {
        if (id == null) {
            return Optional.empty();
        }
        var parts = RESOURCE.matcher(id);
        if (!parts.matches()) {
            return Optional.empty();
        }
        return Optional.of(
                parts.group(3) != null
                        ? new AzureId(
                                parts.group(1), parts.group(2), MACHINE, Optional.of(parts.group(3)), parts.group(4))
                        : new AzureId(
                                parts.group(1),
                                parts.group(2),
                                parts.group(5).equalsIgnoreCase(SET) ? SET : MACHINE,
                                Optional.empty(),
                                parts.group(6)));
    }

    /**
     * Parses the provider id of a node.
     *
     * @return the name; empty also for {@code azure:////<uuid>} of old clusters, which names no resource
     */
    static Optional<AzureId> ofProviderId(@Nullable String providerId) {
        return providerId == null || !providerId.toLowerCase(Locale.ROOT).startsWith(SCHEME)
                ? Optional.empty()
                : ofResource(providerId.substring(SCHEME.length()));
    }

    static AzureId scaleSet(String subscription, String resourceGroup, String name) {
        return new AzureId(subscription, resourceGroup, SET, Optional.empty(), name);
    }

    /** Whether the resource is an instance of that scale set. */
    boolean isInstanceOf(AzureId set) {
        return parent.filter(set.name::equalsIgnoreCase).isPresent() && isBeside(set);
    }

    /** Whether this resource and the other are in the same resource group. */
    boolean isBeside(AzureId other) {
        return subscription.equalsIgnoreCase(other.subscription) && resourceGroup.equalsIgnoreCase(other.resourceGroup);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof AzureId id && toString().equalsIgnoreCase(id.toString());
    }

    @Override
    public int hashCode() {
        return toString().toLowerCase(Locale.ROOT).hashCode();
    }

    /** Returns the resource id. */
    @Override
    public String toString() {
        var group = "/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Compute/"
                .formatted(subscription, resourceGroup);
        return parent.map(set -> group + SET + "/" + set + "/" + MACHINE + "/" + name)
                .orElseGet(() -> group + type + "/" + name);
    }
}
