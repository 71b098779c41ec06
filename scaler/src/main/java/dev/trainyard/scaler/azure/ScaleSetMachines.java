package dev.trainyard.scaler.azure;

import com.azure.resourcemanager.compute.fluent.models.VirtualMachineScaleSetInstanceViewInner;
import com.azure.resourcemanager.compute.fluent.models.VirtualMachineScaleSetVMInner;
import com.azure.resourcemanager.compute.models.InstanceViewStatus;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.Machine.State;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The instances of a scale set as Azure listed them.
 *
 * @param machines what they are to a pool
 * @param failures why those that failed did, as far as Azure tells
 * @param pages that the list had: each costs a request
 */
record ScaleSetMachines(List<Machine> machines, List<MachineStates.Told> failures, int pages) {

    ScaleSetMachines {
        machines = List.copyOf(machines);
        failures = List.copyOf(failures);
    }

    static ScaleSetMachines of(Arm.Pages<VirtualMachineScaleSetVMInner> listed, AzureId set, boolean spot, Instant now)
            throws ArmException {
        var machines = new ArrayList<Machine>();
        var failures = new ArrayList<MachineStates.Told>();
        for (var instance : listed.items()) {
            var statuses = statuses(instance);
            var state = MachineStates.of(instance.provisioningState(), statuses, spot);
            var machine = machine(instance, set, state, now);
            machines.add(machine);
            if (state == State.FAILED) {
                MachineStates.failure(statuses)
                        .map(told -> told.orAt(machine.since()))
                        .ifPresent(failures::add);
            }
        }
        return new ScaleSetMachines(machines, failures, listed.pages());
    }

    /** How many machines the set's own summary counts, those on their way out included; empty when it has none. */
    static OptionalInt counted(VirtualMachineScaleSetInstanceViewInner view) {
        var summary =
                view.virtualMachine() == null ? null : view.virtualMachine().statusesSummary();
        return summary == null
                ? OptionalInt.empty()
                : OptionalInt.of(summary.stream()
                        // Each machine has one such status, and others besides.
                        .filter(status -> status.code() != null
                                && status.code().toLowerCase(Locale.ROOT).startsWith("provisioningstate/"))
                        .mapToInt(status -> status.count() == null ? 0 : status.count())
                        .sum());
    }

    /** Those that the set's size counts. */
    int present() {
        return (int) machines.stream().filter(Machine::counts).count();
    }

    boolean areSettled() {
        return machines.stream().allMatch(machine -> machine.state() == State.RUNNING);
    }

    private static Machine machine(VirtualMachineScaleSetVMInner instance, AzureId set, State state, Instant now)
            throws ArmException {
        var id = instance.instanceId();
        if (id == null || !id.matches("[0-9]+")) {
            throw new ArmException(
                    ArmError.of(0, "", "instance %s of %s has no number".formatted(instance.name(), set.name())));
        }
        // The kubelet writes its own id with the resource group in lower case; ids are compared without case.
        var resource = instance.id() == null ? set + "/virtualMachines/" + id : instance.id();
        var name = Optional.ofNullable(instance.osProfile())
                .map(profile -> profile.computerName())
                .map(computer -> computer.toLowerCase(Locale.ROOT));
        return new Machine(
                id,
                AzureId.SCHEME + resource,
                name.orElse(null),
                state,
                Optional.ofNullable(instance.timeCreated())
                        .map(OffsetDateTime::toInstant)
                        .orElse(now));
    }

    private static List<InstanceViewStatus> statuses(VirtualMachineScaleSetVMInner instance) {
        var view = instance.instanceView();
        return view == null || view.statuses() == null ? List.of() : view.statuses();
    }
}
