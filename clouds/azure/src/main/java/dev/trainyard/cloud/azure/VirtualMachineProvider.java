package dev.trainyard.cloud.azure;

import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.azure.resourcemanager.compute.models.InstanceViewStatus;
import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.cloud.azure.Fleet.Mark;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AzureMachineTemplate;
import dev.trainyard.core.api.ProviderSpec.AzureVirtualMachines;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.provider.Bounds;
import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.CloudRight;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The provider of pools that are single virtual machines, as acs-engine made them. Thread-safe for different pools.
 *
 * <p>Azure stores no size of such a pool: its size is its number of machines, and a requested machine exists at once. A machine is removed
 * in the order machine, network interface, OS disk. Azure itself removes the interface and disk of a machine that Trainyard made. The
 * interface and disk of any other machine are marked before the machine's deletion is requested. If one of them remains without the
 * machine, the mark shows later processes that this part must be removed.
 */
final class VirtualMachineProvider implements CloudProvider {

    private static final Logger log = LoggerFactory.getLogger(VirtualMachineProvider.class);

    private static final String DELETING = "Deleting";

    /** The maximum number of interfaces and disks that one read removes, since a round of the scaler waits for its reads. */
    static final int MOST_CLEARED = 24;

    private final Subscriptions subscriptions;
    private final SkuLists skus;
    private final Clock clock;
    private final ParallelRequests sideBySide = new ParallelRequests();
    private final Map<String, VirtualMachineMemory> memories = new ConcurrentHashMap<>();
    private final Map<String, GroupLists> groups = new ConcurrentHashMap<>();

    private final boolean tidies;
    private final CustomData customData;

    /**
     * @param tidies whether {@link #read} also removes the interfaces and disks of removed machines
     * @param customData the directory of the files with machines' custom data
     */
    VirtualMachineProvider(Subscriptions subscriptions, Clock clock, boolean tidies, Path customData) {
        this.subscriptions = subscriptions;
        this.customData = new CustomData(customData);
        this.skus = new SkuLists(subscriptions, clock);
        this.clock = clock;
        this.tidies = tidies;
    }

    @Override
    public Duration attention() {
        return ScaleSetProvider.ATTENTION;
    }

    @Override
    public CallLimits limits() {
        return AzureModule.LIMITS;
    }

    @Override
    public PoolState read(Pool pool) throws ProviderException {
        var call = call(pool);
        try {
            return call.read();
        } catch (ArmException e) {
            throw e.forPool(pool.isSpot());
        }
    }

    @Override
    public Optional<MachineSize> size(ProviderSpec where, String name) throws ProviderException {
        var named = where.azureVirtualMachines();
        return named == null ? Optional.empty() : skus.find(named, name);
    }

    @Override
    public List<CloudRight> rights(Pool pool) throws ProviderException {
        var named = pool.provider().azureVirtualMachines();
        return named == null
                ? List.of()
                : new Permissions(subscriptions)
                        .of(named.subscriptionId(), named.resourceGroup(), Permissions.VIRTUAL_MACHINES);
    }

    @Override
    public void grow(Pool pool, int from, int to) throws ProviderException {
        change(pool, call -> call.grow(from, to));
    }

    /** Withdraws nothing, since a requested machine exists at once. */
    @Override
    public void withdraw(Pool pool, int from, int to) throws ProviderException {
        change(pool, call -> call.withdraw(to));
    }

    @Override
    public void terminate(Pool pool, List<Machine> machines) throws ProviderException {
        change(pool, call -> call.terminate(machines));
    }

    @FunctionalInterface
    private interface Change {
        void on(Call call) throws ArmException, ProviderException;
    }

    private void change(Pool pool, Change change) throws ProviderException {
        var call = call(pool);
        call.lists.outdated();
        try {
            change.on(call);
        } catch (ArmException e) {
            throw e.forPool(pool.isSpot());
        } finally {
            // Another pool may have listed the group during the change.
            call.lists.outdated();
        }
    }

    private Call call(Pool pool) throws ProviderException {
        var spec = pool.provider().azureVirtualMachines();
        if (spec == null) {
            throw new IllegalArgumentException("pool " + pool.name() + " has no spec.provider.azureVirtualMachines");
        }
        try {
            return new Call(pool, spec, subscriptions.connect(spec.subscriptionId()));
        } catch (ArmException e) {
            throw e.forPool(pool.isSpot());
        }
    }

    /** The execution of one call to this provider, for one pool. */
    private final class Call {

        private final Pool pool;
        private final AzureVirtualMachines spec;
        private final MachineRequests requests;
        private final VirtualMachineMemory memory;
        private final GroupLists lists;

        Call(Pool pool, AzureVirtualMachines spec, Arm arm) {
            this.pool = pool;
            this.spec = spec;
            this.requests = new MachineRequests(arm, spec.subscriptionId(), spec.resourceGroup());
            var group = "%s/%s"
                    .formatted(spec.subscriptionId(), spec.resourceGroup())
                    .toLowerCase(Locale.ROOT);
            this.lists = groups.computeIfAbsent(group, key -> new GroupLists());
            this.memory = memories.computeIfAbsent(
                    group + "/" + spec.namePrefix().toLowerCase(Locale.ROOT), key -> new VirtualMachineMemory());
        }

        PoolState read() throws ArmException {
            var now = clock.instant();
            var known = memory.recent(now);
            if (known.isPresent()) {
                return known.get();
            }
            var listed = lists.machines().get(now, requests::machines);
            var vms = listed.items();
            if (!memory.hasRecalled()) {
                recall(Fleet.of(spec.namePrefix(), vms, interfaces(), List.of()), now);
            }
            var state = state(own(vms), listed.at(), now);
            if (tidies && memory.partsAreDue(now)) {
                clear(vms, now);
            }
            return state;
        }

        /**
         * Finds requested machines that Azure does not list yet. An interface of Trainyard without a listed machine may belong to such a
         * machine. So for each such interface, the machine is looked up by name.
         */
        private void recall(Fleet fleet, Instant now) throws ArmException {
            var unlisted = memory.unlisted(names(fleet.vms()), now);
            var unknown = fleet.hinted().stream()
                    .filter(name -> !unlisted.containsKey(name.toLowerCase(Locale.ROOT)))
                    .toList();
            sideBySide.run(unknown, name -> {
                if (requests.has(name)) {
                    memory.ordered(name, now);
                }
            });
            memory.recalled();
        }

        /** @param listedAt when Azure listed the machines; this time counts as the time of the state */
        private PoolState state(List<VirtualMachineInner> own, Instant listedAt, Instant now) {
            look(own, now);
            var machines = new ArrayList<Machine>();
            var failures = new ArrayList<>(memory.refusal(now));
            for (var vm : own) {
                var state = state(vm, now);
                machines.add(machine(vm, state, now));
                if (state == Machine.State.FAILED) {
                    boolean spot = MachineKind.of(vm).spot();
                    MachineStates.failure(memory.view(id(vm)).orElse(List.of()))
                            .map(failure -> failure.orAt(since(vm, now)))
                            .flatMap(failure -> ScaleSetProvider.recent(failure, spot, now))
                            .ifPresent(failures::add);
                }
            }
            memory.unlisted(names(own), now).forEach((name, since) -> machines.add(ordered(name, since)));
            int target = (int) machines.stream().filter(Machine::counts).count();
            var warnings = own.stream()
                    .filter(this::counts)
                    .flatMap(vm -> MachineKind.of(vm).warnings(pool).stream())
                    .distinct()
                    .toList();
            var state = new PoolState(target, machines, failures, Bounds.NONE, warnings);
            memory.read(state, listedAt);
            return state;
        }

        private Machine.State state(VirtualMachineInner vm, Instant now) {
            if (memory.isLeaving(id(vm), now)) {
                return Machine.State.DELETING;
            }
            var view = memory.view(id(vm));
            if (view.isEmpty() && isFailed(vm)) {
                // The machine's current state is unknown.
                return memory.lastState(id(vm)).orElse(Machine.State.FAILED);
            }
            return MachineStates.of(
                    vm.provisioningState(),
                    view.orElse(List.of()),
                    MachineKind.of(vm).spot());
        }

        /**
         * Reads the instance views that are due. If a view cannot be read, its machine keeps the last known state, and the read succeeds
         * nevertheless.
         */
        private void look(List<VirtualMachineInner> own, Instant now) {
            var viewed = own.stream()
                    .filter(vm -> isViewed(vm) && !memory.isLeaving(id(vm), now))
                    .toList();
            memory.keepViews(viewed.stream().map(VirtualMachineProvider::id).toList());
            var due =
                    viewed.stream().filter(vm -> memory.viewIsDue(id(vm), now)).toList();
            try {
                sideBySide.run(due, vm -> look(vm, now), VirtualMachineProvider::isOfAll);
            } catch (ArmException e) {
                log.warn("pool {}: the state of some machines is unknown: {}", pool.name(), e.getMessage());
            }
        }

        private void look(VirtualMachineInner vm, Instant now) throws ArmException {
            try {
                var view = requests.view(vm);
                if (view.vmId() == null || id(view).equals(id(vm))) {
                    memory.viewed(id(vm), statuses(view), now);
                    return;
                }
            } catch (ArmException e) {
                if (e.error().status() != 404) {
                    throw e;
                }
            }
            // The list is stale: the machine is gone, or another machine has its name now.
            memory.removed(id(vm), now);
        }

        private Machine ordered(String name, Instant since) {
            return new Machine(name, AzureId.SCHEME + requests.machineId(name), name, Machine.State.CREATING, since);
        }

        /** Removes leftover interfaces and disks. A failure does not fail the read: the removal is tried again. */
        private void clear(List<VirtualMachineInner> vms, Instant now) {
            try {
                var fleet = fleet(vms);
                memory.readParts(fleet.isClearing(), fleet.looseNicsMadeHere(), now);
                sideBySide.run(fleet.staleMarks(vm -> !counts(vm), now), this::unmark);
                var nics = fleet.leftNics(memory.abandoned(now)).stream()
                        .limit(MOST_CLEARED)
                        .toList();
                sideBySide.run(nics, nic -> clear("network interface " + nic, () -> requests.deleteInterface(nic)));
                var disks = fleet.leftDisks().stream()
                        .limit(MOST_CLEARED - nics.size())
                        .toList();
                sideBySide.run(disks, disk -> clear("OS disk " + disk.name(), () -> requests.deleteDisk(disk)));
            } catch (ArmException e) {
                log.warn(
                        "pool {}: leftover disks and network interfaces could not be read or removed: {}",
                        pool.name(),
                        e.getMessage());
            }
        }

        /** Removes one leftover. A failure does not stop the other removals. For example, Azure reserves some interfaces for a while. */
        private void clear(String what, Deletion deletion) {
            try {
                deletion.make();
                log.info("pool {}: {} was removed, because it has no machine", pool.name(), what);
            } catch (ArmException e) {
                log.warn("pool {}: {} could not be removed; trying again: {}", pool.name(), what, e.getMessage());
            }
        }

        private void grow(int from, int to) throws ArmException, ProviderException {
            memory.outdated();
            var vms = requests.machines();
            if (target(vms) == to) {
                return;
            }
            var fleet = fleet(vms);
            recall(fleet, clock.instant());
            int target = target(vms);
            if (target == to) {
                return;
            }
            var growth = new VirtualMachineMemory.Growth(from, to);
            boolean goesOn = memory.isUnfinished(growth) && target > from && target < to;
            if (target != from && !goesOn) {
                throw new ProviderException(
                        FailureKind.CONFLICT,
                        "the pool has %d machines, with those being created, but the decision assumed %d"
                                .formatted(target, from));
            }
            var template = template(fleet);
            memory.begin(growth);
            make(template, free(fleet, to - target));
        }

        private List<Integer> free(Fleet fleet, int count) {
            var unlisted = memory.unlisted(names(fleet.vms()), clock.instant());
            return fleet.free(count + unlisted.size()).stream()
                    .filter(index -> !unlisted.containsKey(
                            Fleet.vm(spec.namePrefix(), index).toLowerCase(Locale.ROOT)))
                    .limit(count)
                    .toList();
        }

        /**
         * Creates machines until one fails, since the next would fail for the same reason. If Azure accepted some machines, the request
         * counts as accepted in part and throws no exception. After an exception, the scaler would request all machines from another pool.
         */
        private void make(MachineTemplate template, List<Integer> indexes) throws ArmException {
            var accepted = new AtomicInteger();
            try {
                sideBySide.run(indexes, index -> {
                    make(template, index);
                    accepted.incrementAndGet();
                });
            } catch (ArmException e) {
                if (accepted.get() == 0) {
                    throw e;
                }
                memory.accepted(failure(e));
                log.warn(
                        "pool {}: Azure accepted {} of {} machines: {}",
                        pool.name(),
                        accepted.get(),
                        indexes.size(),
                        e.getMessage());
                return;
            }
            memory.finished();
            memory.accepted(Optional.empty());
        }

        /** Returns the failure to report for the pool; empty for throttling and conflicts, which are not the pool's fault. */
        private Optional<Failure> failure(ArmException e) {
            var kind = ErrorTable.kind(e.error(), pool.isSpot());
            return kind == FailureKind.THROTTLED || kind == FailureKind.CONFLICT
                    ? Optional.empty()
                    : Optional.of(new Failure(kind, e.error().words(), clock.instant()));
        }

        private void make(MachineTemplate template, int index) throws ArmException {
            var name = Fleet.vm(spec.namePrefix(), index);
            var nic = requests.interfaceId(Fleet.nic(spec.namePrefix(), index));
            requests.mayMakeMachines();
            requests.makeInterface(nic, template.nic(pool.name()));
            var disk = Fleet.disk(spec.namePrefix(), index);
            try {
                requests.makeMachine(name, template.vm(pool.name(), name, nic, disk, pool.isSpot()));
                memory.ordered(name, clock.instant());
            } catch (ArmException e) {
                if (e.error().status() == 412) {
                    // The machine exists, but no list shows it yet.
                    memory.ordered(name, clock.instant());
                } else if (e.error().isDefinite()) {
                    clear("network interface " + nic, () -> requests.deleteInterface(nic));
                }
                throw e;
            }
        }

        private MachineTemplate template(Fleet fleet) throws ProviderException {
            var stated = spec.template() == null ? AzureMachineTemplate.EMPTY : spec.template();
            var model = fleet.vms().stream()
                    .filter(vm -> "Succeeded".equalsIgnoreCase(vm.provisioningState()))
                    .findFirst();
            var template =
                    new MachineTemplate(stated, model, model.flatMap(vm -> nicOf(fleet, vm)), customData.of(stated));
            template.check();
            return template;
        }

        private Optional<JsonNode> nicOf(Fleet fleet, VirtualMachineInner vm) {
            return fleet.nics().stream()
                    .filter(nic -> nic.path("properties")
                            .path("virtualMachine")
                            .path("id")
                            .asText()
                            .equalsIgnoreCase(vm.id()))
                    .findFirst();
        }

        private void withdraw(int to) throws ArmException, ProviderException {
            int target = target(requests.machines());
            if (target != to) {
                throw new ProviderException(
                        FailureKind.CONFLICT,
                        "the request is not withdrawn: the pool's target would be %d machines, but %d exist or are being created"
                                .formatted(to, target));
            }
        }

        private void terminate(List<Machine> machines) throws ArmException {
            var ids = machines.stream().filter(Machine::counts).map(Machine::id).toList();
            if (ids.isEmpty()) {
                return;
            }
            memory.outdated();
            memory.finished();
            var doomed = own(requests.machines()).stream()
                    .filter(vm -> ids.contains(id(vm)))
                    .filter(this::counts)
                    .toList();
            // If Azure cannot delete a machine, for example because of a lock, the other machines are still deleted.
            sideBySide.run(doomed, this::remove, VirtualMachineProvider::isOfAll);
        }

        private void remove(VirtualMachineInner vm) throws ArmException {
            var marks = requests.mark(vm, clock.instant());
            try {
                requests.deleteMachine(vm);
            } catch (ArmException e) {
                int status = e.error().status();
                // The marks stay after a conflict, since the machine may still be deleted. They also stay after
                // throttling, since the request is repeated.
                if (e.error().isDefinite() && status != 409 && status != 429) {
                    marks.forEach(this::unmark);
                }
                throw e;
            }
            memory.removed(id(vm), clock.instant());
        }

        /** Removes a mark. A failure is harmless: a later read finds old marks and removes them. */
        private void unmark(Mark mark) {
            try {
                requests.unmark(mark);
                log.info("pool {}: {} is kept, because its machine was not removed", pool.name(), mark.part());
            } catch (ArmException e) {
                log.warn(
                        "pool {}: {} is still marked for removal, although its machine stays, because the mark could not be removed: {}; a later round tries again",
                        pool.name(),
                        mark.part(),
                        e.getMessage());
            }
        }

        private Fleet fleet(List<VirtualMachineInner> vms) throws ArmException {
            var disks = lists.disks().get(clock.instant(), requests::disks).items();
            return Fleet.of(spec.namePrefix(), vms, interfaces(), disks);
        }

        private List<JsonNode> interfaces() throws ArmException {
            return lists.interfaces().get(clock.instant(), requests::interfaces).items();
        }

        private List<VirtualMachineInner> own(List<VirtualMachineInner> listed) {
            return Fleet.of(spec.namePrefix(), listed, List.of(), List.of()).vms();
        }

        /** Returns the pool's size, with accepted machines that are not listed yet, and without listed machines that are being removed. */
        private int target(List<VirtualMachineInner> listed) {
            var own = own(listed);
            int ordered = memory.unlisted(names(own), clock.instant()).size();
            return ordered + (int) own.stream().filter(this::counts).count();
        }

        private boolean counts(VirtualMachineInner vm) {
            return !DELETING.equalsIgnoreCase(vm.provisioningState()) && !memory.isLeaving(id(vm), clock.instant());
        }
    }

    @FunctionalInterface
    private interface Deletion {
        void make() throws ArmException;
    }

    private static Machine machine(VirtualMachineInner vm, Machine.State state, Instant now) {
        return new Machine(id(vm), AzureId.SCHEME + vm.id(), vm.name().toLowerCase(Locale.ROOT), state, since(vm, now));
    }

    private static boolean isFailed(VirtualMachineInner vm) {
        return "Failed".equalsIgnoreCase(vm.provisioningState());
    }

    /** Whether the instance view is needed. Lists do not show whether a failed machine runs, or whether a machine was evicted and kept. */
    private static boolean isViewed(VirtualMachineInner vm) {
        boolean settled = !"Creating".equalsIgnoreCase(vm.provisioningState())
                && !DELETING.equalsIgnoreCase(vm.provisioningState());
        return isFailed(vm) || (settled && MachineKind.of(vm).deallocates());
    }

    /** Whether requests for other machines would fail in the same way. */
    private static boolean isOfAll(ArmError error) {
        return error.status() == 429 || error.status() == 401;
    }

    private static Instant since(VirtualMachineInner vm, Instant now) {
        return Optional.ofNullable(vm.timeCreated())
                .map(OffsetDateTime::toInstant)
                .orElse(now);
    }

    /**
     * Returns the machine's own id. Names are reused, and a request to remove an old machine must not remove a new machine of the same name.
     */
    private static String id(VirtualMachineInner vm) {
        return vm.vmId() == null ? vm.name() : vm.vmId();
    }

    private static List<String> names(List<VirtualMachineInner> vms) {
        return vms.stream().map(VirtualMachineInner::name).toList();
    }

    private static List<InstanceViewStatus> statuses(VirtualMachineInner view) {
        return view.instanceView() == null || view.instanceView().statuses() == null
                ? List.of()
                : view.instanceView().statuses();
    }
}
