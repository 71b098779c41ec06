package dev.trainyard.emulator.azure;

import java.util.List;

/** The permissions that requests need, and the rate limits that they count against. */
final class Actions {

    private Actions() {}

    /** Returns the action that a role must allow for a request, in the terms of Azure's role definitions. */
    static String of(ArmRequest request) {
        var parts = List.of(request.path().split("/", -1));
        int provider = parts.lastIndexOf("providers");
        if (provider < 0) {
            return "Microsoft.Resources/subscriptions/resourceGroups/resources/read";
        }
        var type = new StringBuilder(parts.get(provider + 1));
        for (int i = provider + 2; i < parts.size(); i += 2) {
            type.append('/').append(parts.get(i));
        }
        return switch (request.method()) {
            case "GET" -> type + "/read";
            case "POST" -> type + "/action";
            case "DELETE" -> type + "/delete";
            default -> type + "/write";
        };
    }

    /** Returns the additional permissions for the resources to which a created resource refers. */
    static List<String> linked(ArmRequest request) {
        if (!request.method().equals("PUT")) {
            return List.of();
        }
        if (request.path().contains("/virtualMachines/")) {
            return List.of("Microsoft.Network/networkInterfaces/join/action");
        }
        var subnet = "Microsoft.Network/virtualNetworks/subnets/join/action";
        return request.body().path("properties").has("networkSecurityGroup")
                ? List.of(subnet, "Microsoft.Network/networkSecurityGroups/join/action")
                : List.of(subnet);
    }

    static String bucket(ArmRequest request) {
        var path = request.lowerPath();
        if (path.contains("/operations/")) {
            return "operation";
        }
        return switch (request.method()) {
            case "GET" ->
                path.endsWith("/virtualmachines")
                                || path.endsWith("/instanceview")
                                || path.endsWith("/disks")
                                || path.endsWith("/networkinterfaces")
                        ? "costly-get"
                        : "get";
            case "DELETE" -> "delete";
            case "POST" -> path.endsWith("/delete") ? "delete" : "update";
            case "PUT" -> path.contains("/virtualmachines/") ? "create" : "update";
            default -> "update";
        };
    }
}
