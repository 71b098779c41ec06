package dev.trainyard.scaler.azure;

import com.azure.core.http.HttpMethod;
import com.azure.resourcemanager.compute.fluent.models.DiskInner;
import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.azure.resourcemanager.compute.models.InstanceViewTypes;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Requests about the single machines of a resource group, with their network interfaces and disks. Thread-safe. */
final class MachineRequests {

    private static final String NETWORK_API = "2024-05-01";
    private static final String TAGS_API = "2021-04-01";

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

    /** With what Azure says of how it is. */
    VirtualMachineInner view(VirtualMachineInner vm) throws ArmException {
        return arm.get(
                "GET " + vm.id(),
                () -> arm.compute()
                        .getVirtualMachines()
                        .getByResourceGroupWithResponseAsync(
                                resourceGroup, vm.name(), InstanceViewTypes.INSTANCE_VIEW));
    }

    /** Whether there is such a machine, of which no list may tell yet. */
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

    void makeInterface(String id, JsonNode body) throws ArmException {
        arm.send("PUT " + id, HttpMethod.PUT, id, NETWORK_API, body);
    }

    /** One that somebody else made meanwhile is not changed; Azure makes the OS disk with it. */
    void makeMachine(String name, VirtualMachineInner vm) throws ArmException {
        arm.begin(
                "PUT machine %s/%s".formatted(path, name),
                () -> arm.compute()
                        .getVirtualMachines()
                        .createOrUpdateWithResponseAsync(resourceGroup, name, vm, null, "*"));
    }

    void deleteMachine(VirtualMachineInner vm) throws ArmException {
        arm.begin(
                "DELETE " + vm.id(),
                () -> arm.compute().getVirtualMachines().deleteWithResponseAsync(resourceGroup, vm.name(), null));
    }

    void deleteInterface(String id) throws ArmException {
        arm.send("DELETE " + id, HttpMethod.DELETE, id, NETWORK_API, null);
    }

    void deleteDisk(DiskInner disk) throws ArmException {
        arm.begin(
                "DELETE " + disk.id(),
                () -> arm.compute().getDisks().deleteWithResponseAsync(resourceGroup, disk.name()));
    }

    /** Marks interface and disk of a machine as going with it; one that is not there needs no mark. */
    void mark(VirtualMachineInner vm) throws ArmException {
        for (var part : partsOf(vm)) {
            var body = Arm.JSON.createObjectNode().put("operation", "Merge");
            body.putObject("properties").putObject("tags").put(Fleet.REMOVING, vm.name());
            try {
                arm.send(
                        "TAG " + part,
                        HttpMethod.PATCH,
                        part + "/providers/Microsoft.Resources/tags/default",
                        TAGS_API,
                        body);
            } catch (ArmException e) {
                if (e.error().status() != 404) {
                    throw e;
                }
            }
        }
    }

    private static List<String> partsOf(VirtualMachineInner vm) {
        var parts = new ArrayList<String>();
        if (vm.networkProfile() != null && vm.networkProfile().networkInterfaces() != null) {
            vm.networkProfile().networkInterfaces().forEach(nic -> parts.add(nic.id()));
        }
        Optional.ofNullable(vm.storageProfile())
                .map(profile -> profile.osDisk())
                .map(disk -> disk.managedDisk())
                .map(disk -> disk.id())
                .ifPresent(parts::add);
        return parts;
    }
}
