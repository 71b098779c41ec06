package dev.trainyard.cloud.azure;

import com.azure.resourcemanager.compute.fluent.models.DiskInner;
import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.fasterxml.jackson.databind.JsonNode;

/** The last lists that Azure returned for a resource group with single machines. Thread-safe. */
record GroupLists(
        SharedList<VirtualMachineInner> machines, SharedList<JsonNode> interfaces, SharedList<DiskInner> disks) {

    GroupLists() {
        this(new SharedList<>(), new SharedList<>(), new SharedList<>());
    }

    void outdated() {
        machines.outdated();
        interfaces.outdated();
        disks.outdated();
    }
}
