package dev.trainyard.cloud.azure;

import com.azure.core.http.HttpMethod;
import com.azure.resourcemanager.compute.fluent.models.DiskInner;
import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.azure.resourcemanager.compute.models.DeleteOptions;
import com.azure.resourcemanager.compute.models.DiskDeleteOptionTypes;
import com.azure.resourcemanager.compute.models.InstanceViewTypes;
import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.cloud.azure.Fleet.Mark;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Requests about the single machines of a resource group, with their network interfaces and disks. Azure limits each kind of change for a
 * whole subscription, so a throttled request for one machine blocks the requests for all machines. Thread-safe.
 */
final class MachineRequests {

    private static final String NETWORK_API = "2024-05-01";
    private static final String TAGS_API = "2021-04-01";

    private static final String MAKE = "PUT machines";
    private static final String DELETE = "DELETE machines";

    private final Arm arm;
    private final String resourceGroup;
    private final String path;

    MachineRequests(Arm arm, String subscription, String resourceGroup) {
        this.arm = arm;
        this.resourceGroup = resourceGroup;
        this.path = "/subscriptions/%s/resourceGroups/%s".formatted(subscription, resourceGroup);
    }

    List<VirtualMachineInner> machines() throws ArmException {
        return arm.list(
                        "LIST machines " + path,
                        () -> arm.compute().getVirtualMachines().listByResourceGroupAsync(resourceGroup))
                .items();
    }

    List<JsonNode> interfaces() throws ArmException {
        return arm.listJson("LIST interfaces " + path, interfaceId(""), NETWORK_API);
    }

    List<DiskInner> disks() throws ArmException {
        return arm.list("LIST disks " + path, () -> arm.compute().getDisks().listByResourceGroupAsync(resourceGroup))
                .items();
    }

    /** Returns a machine with its instance view. */
    VirtualMachineInner view(VirtualMachineInner vm) throws ArmException {
        return arm.get(
                "GET machines",
                () -> arm.compute()
                        .getVirtualMachines()
                        .getByResourceGroupWithResponseAsync(
                                resourceGroup, vm.name(), InstanceViewTypes.INSTANCE_VIEW));
    }

    /** Whether a machine exists, even if no list shows it yet. */
    boolean has(String name) throws ArmException {
        try {
            arm.get(
                    "GET machines",
                    () -> arm.compute()
                            .getVirtualMachines()
                            .getByResourceGroupWithResponseAsync(resourceGroup, name, null));
            return true;
        } catch (ArmException e) {
            if (e.error().status() == 404) {
                return false;
            }
            throw e;
        }
    }

    String machineId(String name) {
        return path + "/providers/Microsoft.Compute/virtualMachines/" + name;
    }

    String interfaceId(String name) {
        var all = path + "/providers/Microsoft.Network/networkInterfaces";
        return name.isEmpty() ? all : all + "/" + name;
    }

    /** @throws ArmException while Azure throttles requests for new machines, so that no interface is made without a machine */
    void mayMakeMachines() throws ArmException {
        arm.check(MAKE);
    }

    void makeInterface(String id, JsonNode body) throws ArmException {
        arm.send("PUT interfaces", HttpMethod.PUT, id, NETWORK_API, body);
    }

    /** Creates a machine with its OS disk. Fails if a machine of that name exists already. */
    void makeMachine(String name, VirtualMachineInner vm) throws ArmException {
        arm.begin(
                MAKE,
                () -> arm.compute()
                        .getVirtualMachines()
                        .createOrUpdateWithResponseAsync(resourceGroup, name, vm, null, "*"));
    }

    void deleteMachine(VirtualMachineInner vm) throws ArmException {
        arm.begin(
                DELETE,
                () -> arm.compute().getVirtualMachines().deleteWithResponseAsync(resourceGroup, vm.name(), null));
    }

    void deleteInterface(String id) throws ArmException {
        arm.send("DELETE interfaces", HttpMethod.DELETE, id, NETWORK_API, null);
    }

    void deleteDisk(DiskInner disk) throws ArmException {
        arm.begin("DELETE disks", () -> arm.compute().getDisks().deleteWithResponseAsync(resourceGroup, disk.name()));
    }

    /**
     * Marks the interface and disk of a machine for removal after the machine. Parts that Azure removes itself, and missing parts, need no
     * mark.
     */
    List<Mark> mark(VirtualMachineInner vm, Instant now) throws ArmException {
        arm.check(DELETE);
        var marks =
                partsOf(vm).stream().map(part -> Mark.of(part, vm.name(), now)).toList();
        for (var mark : marks) {
            tag("Merge", mark);
        }
        return marks;
    }

    /** Removes a mark if it is unchanged. */
    void unmark(Mark mark) throws ArmException {
        tag("Delete", mark);
    }

    private void tag(String operation, Mark mark) throws ArmException {
        var body = Arm.JSON.createObjectNode().put("operation", operation);
        body.putObject("properties").putObject("tags").put(Fleet.REMOVING, mark.value());
        try {
            arm.send(
                    "TAG",
                    HttpMethod.PATCH,
                    mark.part() + "/providers/Microsoft.Resources/tags/default",
                    TAGS_API,
                    body);
        } catch (ArmException e) {
            if (e.error().status() != 404) {
                throw e;
            }
        }
    }

    private static List<String> partsOf(VirtualMachineInner vm) {
        var parts = new ArrayList<String>();
        if (vm.networkProfile() != null && vm.networkProfile().networkInterfaces() != null) {
            vm.networkProfile().networkInterfaces().stream()
                    .filter(nic -> !DeleteOptions.DELETE.equals(nic.deleteOption()))
                    .forEach(nic -> parts.add(nic.id()));
        }
        Optional.ofNullable(vm.storageProfile())
                .map(profile -> profile.osDisk())
                .filter(disk -> !DiskDeleteOptionTypes.DELETE.equals(disk.deleteOption()))
                .map(disk -> disk.managedDisk())
                .map(disk -> disk.id())
                .ifPresent(parts::add);
        return parts;
    }
}
