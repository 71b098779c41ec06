package dev.trainyard.cloud.azure;

import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.azure.resourcemanager.compute.models.VirtualMachineEvictionPolicyTypes;
import com.azure.resourcemanager.compute.models.VirtualMachinePriorityTypes;
import dev.trainyard.core.TroubleshootingTopic;
import dev.trainyard.core.pool.Pool;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The kind of machines that Azure creates or has created.
 *
 * @param size the size, such as Standard_NC6s_v3; empty if unknown
 * @param spot whether they are spot or low-priority machines
 * @param deallocates whether Azure keeps an evicted machine as a stopped machine
 */
record MachineKind(String size, boolean spot, boolean deallocates) {

    private static final String INSTANCE_TYPE = "node.kubernetes.io/instance-type";

    static MachineKind of(
            @Nullable String size,
            @Nullable VirtualMachinePriorityTypes priority,
            @Nullable VirtualMachineEvictionPolicyTypes eviction) {
        boolean spot =
                VirtualMachinePriorityTypes.SPOT.equals(priority) || VirtualMachinePriorityTypes.LOW.equals(priority);
        return new MachineKind(
                size == null ? "" : size,
                spot,
                // The default is Deallocate.
                spot && !VirtualMachineEvictionPolicyTypes.DELETE.equals(eviction));
    }

    static MachineKind of(VirtualMachineInner vm) {
        var size = Optional.ofNullable(vm.hardwareProfile()).map(profile -> profile.vmSize());
        return of(size.map(String::valueOf).orElse(null), vm.priority(), vm.evictionPolicy());
    }

    /**
     * Returns warnings for the administrator, in whole sentences. The word "its" in a warning means a scale set, or a pool of single
     * machines.
     */
    List<String> warnings(Pool pool) {
        var warnings = new ArrayList<String>();
        if (deallocates) {
            warnings.add(
                    "its eviction policy is Deallocate: evicted machines keep their disks and their quota. The scaler deletes"
                            + " these machines, but eviction policy Delete is better"
                            + TroubleshootingTopic.EVICTED_MACHINES_STAY.see());
        }
        if (spot != pool.isSpot()) {
            warnings.add("its machines are %s machines, but spec.capacityType is %s"
                    .formatted(spot ? "spot" : "on-demand", pool.capacityType()));
        }
        var promised = pool.promise().labels().get(INSTANCE_TYPE);
        if (promised != null && !size.isEmpty() && !promised.equalsIgnoreCase(size)) {
            warnings.add("its machines have size %s, but spec.promise.labels has size %s".formatted(size, promised));
        }
        return warnings;
    }
}
