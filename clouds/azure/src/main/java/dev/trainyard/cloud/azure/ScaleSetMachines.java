package dev.trainyard.cloud.azure;

import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.azure.resourcemanager.compute.fluent.models.VirtualMachineScaleSetInstanceViewInner;
import com.azure.resourcemanager.compute.fluent.models.VirtualMachineScaleSetVMInner;
import com.azure.resourcemanager.compute.models.InstanceViewStatus;
import com.azure.resourcemanager.compute.models.OSProfile;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.Machine.State;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The listed machines of a scale set: instances with numbers, or, for a set with flexible orchestration, virtual machines with names.
 *
 * @param machines the machines, converted to {@link Machine}
 * @param failures the errors of failed machines, if Azure reports them
 * @param pages the number of pages of the list; reading one page costs one request
 */
record ScaleSetMachines(List<Machine> machines, List<MachineStates.Told> failures, int pages) {

    ScaleSetMachines {
        machines = List.copyOf(machines);
        failures = List.copyOf(failures);
    }

    static ScaleSetMachines of(Arm.Pages<VirtualMachineScaleSetVMInner> listed, AzureId set, boolean spot, Instant now)
            throws ArmException {
        var reader = new Reader(spot);
        for (var instance : listed.items()) {
            var statuses = Optional.ofNullable(instance.instanceView()).map(view -> view.statuses());
            reader.add(instance.provisioningState(), statuses, state -> machine(instance, set, state, now));
        }
        return reader.read(listed.pages());
    }

    static ScaleSetMachines ofFlexible(Arm.Pages<VirtualMachineInner> listed, boolean spot, Instant now)
            throws ArmException {
        var reader = new Reader(spot);
        for (var vm : listed.items()) {
            var statuses = Optional.ofNullable(vm.instanceView()).map(view -> view.statuses());
            reader.add(vm.provisioningState(), statuses, state -> machine(vm, state, now));
        }
        return reader.read(listed.pages());
    }

    private static final class Reader {
        private final boolean spot;
        private final List<Machine> machines = new ArrayList<>();
        private final List<MachineStates.Told> failures = new ArrayList<>();

        Reader(boolean spot) {
            this.spot = spot;
        }

        interface Listed {
            Machine in(State state) throws ArmException;
        }

        void add(@Nullable String provisioning, Optional<List<InstanceViewStatus>> told, Listed listed)
                throws ArmException {
            var statuses = told.orElse(List.of());
            var state = MachineStates.of(provisioning, statuses, spot);
            var machine = listed.in(state);
            machines.add(machine);
            if (state == State.FAILED) {
                MachineStates.failure(statuses)
                        .map(failure -> failure.orAt(machine.since()))
                        .ifPresent(failures::add);
            }
        }

        ScaleSetMachines read(int pages) {
            return new ScaleSetMachines(machines, failures, pages);
        }
    }

    /** Returns the number of machines in the set's own summary, including those being removed; empty if there is no summary. */
    static OptionalInt counted(VirtualMachineScaleSetInstanceViewInner view) {
        var summary =
                view.virtualMachine() == null ? null : view.virtualMachine().statusesSummary();
        return summary == null
                ? OptionalInt.empty()
                : OptionalInt.of(summary.stream()
                        // Each machine has exactly one provisioning state, besides statuses of other kinds.
                        .filter(status -> status.code() != null
                                && status.code().toLowerCase(Locale.ROOT).startsWith("provisioningstate/"))
                        .mapToInt(status -> status.count() == null ? 0 : status.count())
                        .sum());
    }

    /** Returns the number of machines that exist or are being created, without those being removed. */
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
                    ArmError.of(0, "", "instance %s of %s: invalid instanceId".formatted(instance.name(), set.name())));
        }
        var resource = instance.id() == null ? set + "/virtualMachines/" + id : instance.id();
        return machine(id, resource, instance.osProfile(), state, instance.timeCreated(), now);
    }

    private static Machine machine(VirtualMachineInner vm, State state, Instant now) throws ArmException {
        if (vm.name() == null || AzureId.ofResource(vm.id()).isEmpty()) {
            throw new ArmException(ArmError.of(
                    0, "", "machine %s: id %s is not the id of a virtual machine".formatted(vm.name(), vm.id())));
        }
        return machine(vm.name(), vm.id(), vm.osProfile(), state, vm.timeCreated(), now);
    }

    /** Creates a machine. Ids are compared without case, since the kubelet writes the resource group in lower case. */
    private static Machine machine(
            String id,
            String resource,
            @Nullable OSProfile profile,
            State state,
            @Nullable OffsetDateTime created,
            Instant now) {
        var name = Optional.ofNullable(profile)
                .map(OSProfile::computerName)
                .map(computer -> computer.toLowerCase(Locale.ROOT));
        return new Machine(
                id,
                AzureId.SCHEME + resource,
                name.orElse(null),
                state,
                Optional.ofNullable(created).map(OffsetDateTime::toInstant).orElse(now));
    }
}
