package dev.trainyard.cloud.azure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.ProviderException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The permissions of the current identity in a resource group, from all its roles. Roles for the whole subscription are included. */
final class Permissions {

    /** The actions of {@code manifests/azure/role-scale-sets.json}. */
    static final List<String> SCALE_SETS = List.of(
            "Microsoft.Compute/locations/operations/read",
            "Microsoft.Compute/virtualMachineScaleSets/delete/action",
            "Microsoft.Compute/virtualMachineScaleSets/instanceView/read",
            "Microsoft.Compute/virtualMachineScaleSets/read",
            "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read",
            "Microsoft.Compute/virtualMachineScaleSets/write",
            "Microsoft.Compute/virtualMachines/read");

    /** The actions of {@code manifests/azure/role-virtual-machines.json}. */
    static final List<String> VIRTUAL_MACHINES = List.of(
            "Microsoft.Compute/disks/delete",
            "Microsoft.Compute/disks/read",
            "Microsoft.Compute/virtualMachines/delete",
            "Microsoft.Compute/virtualMachines/read",
            "Microsoft.Compute/virtualMachines/write",
            "Microsoft.Network/networkInterfaces/delete",
            "Microsoft.Network/networkInterfaces/join/action",
            "Microsoft.Network/networkInterfaces/read",
            "Microsoft.Network/networkInterfaces/write",
            "Microsoft.Network/networkSecurityGroups/join/action",
            "Microsoft.Network/virtualNetworks/subnets/join/action",
            "Microsoft.Resources/tags/write");

    /** The permission to list permissions. Azure's role Reader has this permission, our own roles do not. */
    private static final String ASKING = "Microsoft.Authorization/permissions/read";

    private static final String API_VERSION = "2022-04-01";

    private final Subscriptions subscriptions;

    Permissions(Subscriptions subscriptions) {
        this.subscriptions = subscriptions;
    }

    /** @throws ProviderException if the identity is unknown, or Azure does not answer */
    List<CloudRight> of(String subscription, String group, List<String> actions) throws ProviderException {
        try {
            var path = "/subscriptions/%s/resourceGroups/%s/providers/Microsoft.Authorization/permissions"
                    .formatted(subscription, group);
            var roles = subscriptions.connect(subscription).listJson("PERMISSIONS " + path, path, API_VERSION);
            return actions.stream().map(action -> answer(action, roles, group)).toList();
        } catch (ArmException e) {
            if (e.error().has("AuthorizationFailed")) {
                return actions.stream()
                        .map(action -> CloudRight.untold(action, "the check needs a right that is missing: " + ASKING))
                        .toList();
            }
            throw e.forPool(false);
        }
    }

    private static CloudRight answer(String action, List<JsonNode> roles, String group) {
        boolean allowed =
                roles.stream().anyMatch(role -> names(role, "actions", action) && !names(role, "notActions", action));
        return allowed
                ? CloudRight.allowed(action)
                : CloudRight.refused(action, "no role of this identity allows the action in resource group " + group);
    }

    /** Whether a role names the action. {@code *} stands for any text, and case does not matter. */
    private static boolean names(JsonNode role, String member, String action) {
        var patterns = new ArrayList<String>();
        role.path(member).forEach(pattern -> patterns.add(pattern.asText()));
        return patterns.stream()
                .map(pattern -> pattern.toLowerCase(Locale.ROOT).split("\\*", -1))
                .map(parts -> String.join(
                        ".*", List.of(parts).stream().map(Pattern::quote).toList()))
                .anyMatch(pattern -> action.toLowerCase(Locale.ROOT).matches(pattern));
    }
}
