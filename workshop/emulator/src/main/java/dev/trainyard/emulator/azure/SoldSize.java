package dev.trainyard.emulator.azure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/**
 * An item that Azure sells, as listed in its resource SKUs.
 *
 * @param resourceType such as {@code virtualMachines} or {@code disks}
 * @param capabilities values by name, with names such as {@code vCPUs}, {@code MemoryGB}, {@code GPUs}
 */
public record SoldSize(String resourceType, String name, Map<String, String> capabilities) {

    public SoldSize {
        capabilities = Map.copyOf(capabilities);
    }

    /** Returns a machine size. */
    public static SoldSize machine(String name, Map<String, String> capabilities) {
        return new SoldSize("virtualMachines", name, capabilities);
    }

    ObjectNode describe(String location) {
        var sku = ArmRequest.JSON
                .createObjectNode()
                .put("resourceType", resourceType)
                .put("name", name)
                .put("tier", "Standard");
        sku.putArray("locations").add(location);
        sku.putArray("locationInfo")
                .addObject()
                .put("location", location)
                .putArray("zones")
                .add("1");
        var told = sku.putArray("capabilities");
        capabilities.forEach(
                (capability, value) -> told.addObject().put("name", capability).put("value", value));
        sku.putArray("restrictions");
        return sku;
    }
}
