package dev.trainyard.cloud.azure;

import com.azure.resourcemanager.compute.fluent.models.VirtualMachineInner;
import com.azure.resourcemanager.compute.fluent.models.VirtualMachineScaleSetInstanceViewInner;
import com.azure.resourcemanager.compute.fluent.models.VirtualMachineScaleSetVMInner;
import com.azure.resourcemanager.compute.models.ExpandTypeForListVMs;
import com.azure.resourcemanager.compute.models.Sku;
import com.azure.resourcemanager.compute.models.VirtualMachineScaleSetUpdate;
import com.azure.resourcemanager.compute.models.VirtualMachineScaleSetVMInstanceRequiredIDs;
import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AzureScaleSet;
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
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The provider of pools that are Azure scale sets. Thread-safe for different pools.
 *
 * <p>A set's size is changed only if its description is still the one that was read ({@code If-Match}). The size is lowered only if fewer
 * machines exist than the size states, and no running change could create the missing machines. In all other cases Azure would choose which
 * machines to delete.
 *
 * <p>The size of a set with flexible orchestration is lowered only while the set has no machines. For each new size, Azure creates or
 * deletes as many machines as the new size differs from the old size. The number of existing machines has no effect (<a
 * href="https://github.com/dataplat/dbatools/pull/10540">seen in production</a>).
 */
final class ScaleSetProvider implements CloudProvider {

    private static final Logger log = LoggerFactory.getLogger(ScaleSetProvider.class);

    /** The interval of requests about an operation. Azure allows 15 a minute. */
    static final Duration ATTENTION = Duration.ofSeconds(5);

    /** The age up to which a failure is reported. No pod is pending because of an older failure. */
    static final Duration RECENT = Duration.ofMinutes(15);

    /**
     * How long an operation with an unknown state counts as running. After that, the operation counts as over if the set shows no running
     * change.
     */
    private static final Duration UNTOLD = Duration.ofMinutes(1);

    /** How long an interrupted removal may be repeated. After that, the machines may run pods again. */
    private static final Duration REPEATED = Duration.ofMinutes(5);

    private final Subscriptions subscriptions;
    private final SkuLists skus;
    private final InstantSource clock;
    private final Map<AzureId, ScaleSetMemory> memories = new ConcurrentHashMap<>();

    ScaleSetProvider(Subscriptions subscriptions, InstantSource clock) {
        this.subscriptions = subscriptions;
        this.skus = new SkuLists(subscriptions, clock);
        this.clock = clock;
    }

    @Override
    public Duration attention() {
        return ATTENTION;
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
        var named = where.azureScaleSet();
        return named == null ? Optional.empty() : skus.find(named, name);
    }

    @Override
    public void grow(Pool pool, int from, int to) throws ProviderException {
        call(pool).change(call -> call.grow(from, to));
    }

    @Override
    public void withdraw(Pool pool, int from, int to) throws ProviderException {
        call(pool).change(call -> call.withdraw(from, to));
    }

    @Override
    public void terminate(Pool pool, List<Machine> machines) throws ProviderException {
        call(pool).change(call -> call.terminate(machines));
    }

    @Override
    public List<CloudRight> rights(Pool pool) throws ProviderException {
        var named = pool.provider().azureScaleSet();
        return named == null
                ? List.of()
                : new Permissions(subscriptions)
                        .of(named.subscriptionId(), named.resourceGroup(), Permissions.SCALE_SETS);
    }

    private Call call(Pool pool) throws ProviderException {
        var named = pool.provider().azureScaleSet();
        if (named == null) {
            throw new IllegalArgumentException("pool " + pool.name() + " is no scale set");
        }
        try {
            return new Call(pool, named, subscriptions.connect(named.subscriptionId()));
        } catch (ArmException e) {
            throw e.forPool(pool.isSpot());
        }
    }

    /** Returns a failure as reported for a pool; empty if it is older than {@link #RECENT} or has no time. */
    static Optional<Failure> recent(MachineStates.Told told, boolean spot, Instant now) {
        return told.at()
                .filter(at -> at.isAfter(now.minus(RECENT)))
                .map(at -> new Failure(
                        ErrorTable.kind(told.error(), spot), told.error().words(), at));
    }

    @FunctionalInterface
    private interface Change {
        void on(Call call) throws ArmException, ProviderException;
    }

    /** The execution of one call to this provider, for one pool. One call may send several requests to Azure. */
    private final class Call {

        private final Pool pool;
        private final AzureScaleSet spec;
        private final AzureId id;
        private final Arm arm;
        private final ScaleSetMemory memory;

        Call(Pool pool, AzureScaleSet spec, Arm arm) {
            this.pool = pool;
            this.spec = spec;
            this.arm = arm;
            this.id = AzureId.scaleSet(spec.subscriptionId(), spec.resourceGroup(), spec.name());
            this.memory = memories.computeIfAbsent(id, set -> new ScaleSetMemory());
        }

        void change(Change change) throws ProviderException {
            try {
                change.on(this);
            } catch (ArmException e) {
                // The next read asks Azure again: the request may have been carried out although its answer was lost.
                memory.outdated();
                throw e.forPool(pool.isSpot());
            }
        }

        PoolState read() throws ArmException, ProviderException {
            lookAtOperation();
            var now = clock.instant();
            var before = memory.set;
            if (memory.setIsDue(now)) {
                var set = readSet();
                memory.set = set;
                memory.setAt = now;
            }
            var set = memory.set;
            boolean changed = set != null && !set.equals(before);
            if (set != null && (changed || memory.machinesAreDue(now))) {
                memory.machinesAt = null;
                memory.machines = readMachines(set);
                memory.machinesAt = now;
            }
            var machines = memory.machines;
            if (set == null || machines == null) {
                throw new IllegalStateException("the scale set was not read: " + id);
            }
            explain(set, now);
            return state(set, machines, now);
        }

        private PoolState state(ScaleSet set, ScaleSetMachines read, Instant now) {
            var leaving = memory.leaving();
            var machines = read.machines().stream()
                    .map(machine -> leaving.contains(machine.id()) ? leaving(machine) : machine)
                    .toList();
            var failures = read.failures().stream()
                    .flatMap(told -> recent(told, set.spot(), now).stream())
                    .toList();
            return new PoolState(
                    memory.target(set),
                    machines,
                    memory.failures(failures),
                    new Bounds(0, set.limit()),
                    warnings(set, now));
        }

        private List<String> warnings(ScaleSet set, Instant now) {
            var warnings = new ArrayList<>(set.warnings(pool));
            memory.removalFailure(now)
                    .ifPresent(words -> warnings.add("Azure did not remove machines as requested: " + words));
            return warnings;
        }

        private Machine leaving(Machine machine) {
            return new Machine(
                    machine.id(), machine.providerId(), machine.nodeName(), Machine.State.DELETING, machine.since());
        }

        private ScaleSet readSet() throws ArmException, ProviderException {
            return ScaleSet.of(arm.get(
                    "GET " + id,
                    () -> arm.compute()
                            .getVirtualMachineScaleSets()
                            .getByResourceGroupWithResponseAsync(spec.resourceGroup(), spec.name(), null)));
        }

        private ScaleSetMachines readMachines(ScaleSet set) throws ArmException {
            var now = clock.instant();
            var machines = set.flexible()
                    ? ScaleSetMachines.ofFlexible(listOfFlexible(), set.spot(), now)
                    : ScaleSetMachines.of(listOfUniform(), id, set.spot(), now);
            memory.listed(set, machines, now);
            return machines;
        }

        private Arm.Pages<VirtualMachineScaleSetVMInner> listOfUniform() throws ArmException {
            return arm.list(
                    "LIST " + id,
                    () -> arm.compute()
                            .getVirtualMachineScaleSetVMs()
                            .listAsync(spec.resourceGroup(), spec.name(), null, null, "instanceView"));
        }

        private Arm.Pages<VirtualMachineInner> listOfFlexible() throws ArmException {
            return arm.list(
                    "LIST " + id,
                    () -> arm.compute()
                            .getVirtualMachines()
                            .listByResourceGroupAsync(
                                    spec.resourceGroup(),
                                    "'virtualMachineScaleSet/id' eq '%s'".formatted(id),
                                    ExpandTypeForListVMs.INSTANCE_VIEW));
        }

        /**
         * Looks up why the last change of the set failed. This process does not know the reason if another process made the change, for
         * example before a restart.
         */
        private void explain(ScaleSet set, Instant now) throws ArmException {
            // A flexible set has no instance view: its failed machines show the reason.
            if (!set.failed() || set.flexible()) {
                memory.explained = null;
                return;
            }
            if (set.etag().equals(memory.explained)) {
                return;
            }
            var view = view();
            memory.explained = set.etag();
            // A failed operation of this process is known already. Only a later failure is new: another process caused
            // it.
            var known = memory.failure().map(Failure::at).orElse(Instant.MIN);
            MachineStates.failure(Optional.ofNullable(view.statuses()).orElse(List.of()))
                    .filter(told -> told.at().isPresent() || memory.failure().isEmpty())
                    .flatMap(told -> recent(told.orAt(now), set.spot(), now))
                    .filter(failure -> failure.at().isAfter(known))
                    .ifPresent(failure -> memory.orderFailed(failure, Instant.MIN));
        }

        private VirtualMachineScaleSetInstanceViewInner view() throws ArmException {
            return arm.get(
                    "LIST " + id,
                    () -> arm.compute()
                            .getVirtualMachineScaleSets()
                            .getInstanceViewWithResponseAsync(spec.resourceGroup(), spec.name()));
        }

        private void lookAtOperation() throws ProviderException {
            var next = memory.nextOperation(clock.instant());
            if (next.isEmpty()) {
                return;
            }
            var operation = next.get();
            Operation.Outcome outcome;
            try {
                outcome = arm.look("LOOK " + id, operation.url().orElse(""));
            } catch (ArmException e) {
                log.warn(
                        "pool {}: the state of an operation on {} is unknown: {}",
                        pool.name(),
                        id.name(),
                        e.getMessage());
                outcome = Operation.Outcome.UNKNOWN;
            }
            if (!outcome.known() && hasSettledSince(operation)) {
                memory.outdated();
                return;
            }
            if (!outcome.over()) {
                memory.operations.addLast(operation);
                return;
            }
            memory.outdated();
            if (outcome.failure().isEmpty()) {
                if (operation.isRemoval()) {
                    memory.removalSucceeded();
                } else {
                    memory.orderSucceeded(operation.begun());
                }
                return;
            }
            failed(operation, outcome.failure().get(), outcome.at().orElse(clock.instant()));
        }

        /** Whether the set was read well after the operation began, and shows no running change. */
        private boolean hasSettledSince(Operation operation) {
            var set = memory.set;
            var at = memory.setAt;
            return set != null
                    && at != null
                    && !set.changes()
                    && at.isAfter(operation.begun().plus(UNTOLD));
        }

        private void failed(Operation operation, ArmError error, Instant at) throws ProviderException {
            log.warn("pool {}: an operation of scale set {} failed: {}", pool.name(), id.name(), error.words());
            if (!operation.isRemoval()) {
                boolean spot = memory.set == null ? pool.isSpot() : memory.set.spot();
                memory.orderFailed(new Failure(ErrorTable.kind(error, spot), error.words(), at), operation.begun());
            } else if (mayRepeat(operation, error)) {
                removeAgain(operation.removes());
            } else {
                memory.removalFailed(error.words(), clock.instant());
            }
        }

        private boolean mayRepeat(Operation operation, ArmError error) {
            return error.has("OperationPreempted")
                    && !operation.repeated()
                    && !clock.instant().isAfter(operation.begun().plus(REPEATED));
        }

        /** Repeats a removal. A failure does not fail the read: the scaler requests the removal again. */
        private void removeAgain(Set<String> ids) throws ProviderException {
            try {
                removeAll(ids, true);
            } catch (ArmException e) {
                log.warn(
                        "pool {}: machines of {} could not be removed; trying again: {}",
                        pool.name(),
                        id.name(),
                        e.getMessage());
                memory.removalFailed(e.error().words(), clock.instant());
            }
        }

        private void grow(int from, int to) throws ArmException, ProviderException {
            var set = readSet();
            if (memory.target(set) == to) {
                return;
            }
            expectTarget(set, from);
            if (to > set.limit()) {
                throw new ProviderException(FailureKind.INVALID_CONFIGURATION, set.tooMany(to));
            }
            if (to <= from) {
                throw new IllegalArgumentException("the new size must exceed %d, but is %d".formatted(from, to));
            }
            int size = set.capacity() + to - from;
            if (size > set.limit()) {
                clear(set);
            }
            resize(set, size);
        }

        /** Resets the size of an empty flexible set. Each machine that was removed without a resize has left the size one too high. */
        private void clear(ScaleSet set) throws ArmException, ProviderException {
            int machines = readMachines(set).machines().size();
            if (machines > 0 || !isAtRest(set) || !memory.isListedForAWhile()) {
                throw new ProviderException(
                        FailureKind.INVALID_CONFIGURATION,
                        "scale set %s has sku.capacity %d and %d machines: Azure accepts at most %d, and removes machines when sku.capacity is lowered. The scaler sets sku.capacity to 0 as soon as the pool has no machines: empty the pool"
                                .formatted(spec.name(), set.capacity(), machines, set.limit()));
            }
            resize(set, 0);
            throw new ProviderException(
                    FailureKind.TRANSIENT,
                    "the scaler first sets sku.capacity of scale set %s from %d to 0, because the scale set has no machines; the request for machines follows"
                            .formatted(spec.name(), set.capacity()));
        }

        private boolean isAtRest(ScaleSet set) {
            return !set.changes() && memory.operations.isEmpty();
        }

        private void withdraw(int from, int to) throws ArmException, ProviderException {
            var set = readSet();
            if (memory.target(set) == to) {
                return;
            }
            expectTarget(set, from);
            if (!isAtRest(set)) {
                throw new ProviderException(
                        FailureKind.CONFLICT,
                        "scale set %s is in state %s: machines may still be created, so the request is not withdrawn yet"
                                .formatted(spec.name(), set.state()));
            }
            var machines = readMachines(set);
            expectWhole(set, machines);
            // With a size at or above the number of machines, Azure deletes none.
            if (to < machines.present() || to < 0) {
                throw new ProviderException(
                        FailureKind.CONFLICT,
                        "the request is not withdrawn: the pool's target would be %d machines, but %d exist or are being created"
                                .formatted(to, machines.present()));
            }
            if (!set.flexible()) {
                resize(set, to);
            }
        }

        /** Requires that the list of machines is complete. Azure could delete a machine that is missing in an outdated list. */
        private void expectWhole(ScaleSet set, ScaleSetMachines listed) throws ArmException, ProviderException {
            if (memory.isListedForAWhile()) {
                return;
            }
            var counted = set.flexible() ? OptionalInt.empty() : ScaleSetMachines.counted(view());
            if (!counted.equals(OptionalInt.of(listed.machines().size()))) {
                throw new ProviderException(
                        FailureKind.CONFLICT,
                        "scale set %s lists %d machines, but its instance count is %s: the request for more machines stays until both are equal, or until the list is unchanged for %d s"
                                .formatted(
                                        spec.name(),
                                        listed.machines().size(),
                                        counted.isPresent() ? Integer.toString(counted.getAsInt()) : "unknown",
                                        ScaleSetMemory.SURE.toSeconds()));
            }
        }

        private void expectTarget(ScaleSet set, int expected) throws ProviderException {
            int target = memory.target(set);
            if (target != expected) {
                memory.outdated();
                throw new ProviderException(
                        FailureKind.CONFLICT,
                        "the pool has %d machines, with those being created, but the decision assumed %d"
                                .formatted(target, expected));
            }
        }

        private void resize(ScaleSet set, int to) throws ArmException, ProviderException {
            if (set.etag().isEmpty()) {
                throw new ProviderException(
                        FailureKind.INVALID_CONFIGURATION,
                        "Azure returned scale set %s without an etag, so a concurrent change could be overwritten: its size stays %d"
                                .formatted(spec.name(), set.capacity()));
            }
            var update = new VirtualMachineScaleSetUpdate()
                    .withSku(new Sku().withName(set.size()).withTier(set.tier()).withCapacity((long) to));
            var accepted = arm.begin(
                    "UPDATE " + id,
                    () -> arm.compute()
                            .getVirtualMachineScaleSets()
                            .updateWithResponseAsync(spec.resourceGroup(), spec.name(), update, set.etag(), null));
            begun(accepted, Set.of(), false);
        }

        private void terminate(List<Machine> machines) throws ArmException, ProviderException {
            var leaving = memory.leaving();
            var ids = new LinkedHashSet<String>();
            for (var machine : machines) {
                boolean ours = AzureId.ofProviderId(machine.providerId())
                                .filter(instance -> instance.isInstanceOf(id))
                                .isPresent()
                        || isOfFlexible(machine);
                if (!ours) {
                    log.warn(
                            "pool {}: machine {} does not belong to scale set {} and is not removed",
                            pool.name(),
                            machine.providerId(),
                            id.name());
                } else if (machine.counts() && !leaving.contains(machine.id())) {
                    ids.add(machine.id());
                }
            }
            if (ids.isEmpty()) {
                return;
            }
            if (!memory.mayRemove(clock.instant())) {
                throw new ProviderException(
                        FailureKind.TRANSIENT,
                        "the last removal of machines failed less than a minute ago: %s; the scaler waits until a minute has passed"
                                .formatted(
                                        memory.removalFailure(clock.instant()).orElse("Azure gave no reason")));
            }
            removeAll(ids, false);
        }

        /** Whether the machine is in the list of a flexible set. The id of such a machine does not name the set. */
        private boolean isOfFlexible(Machine machine) throws ArmException, ProviderException {
            if (memory.machines == null) {
                read();
            }
            return memory.set != null
                    && memory.set.flexible()
                    && memory.machines != null
                    && memory.machines.machines().stream()
                            .anyMatch(listed -> listed.providerId().equalsIgnoreCase(machine.providerId()));
        }

        /**
         * Removes machines. If one of them is gone, Azure refuses the request as a whole; the remaining machines are then looked up and
         * removed.
         */
        private void removeAll(Set<String> ids, boolean repeated) throws ArmException, ProviderException {
            try {
                remove(ids, repeated);
            } catch (ArmException e) {
                if (!ErrorTable.namesGoneMachine(e.error())) {
                    throw e;
                }
                removeThoseLeft(ids, repeated);
            }
        }

        private void removeThoseLeft(Set<String> ids, boolean repeated) throws ArmException, ProviderException {
            var there = new LinkedHashSet<String>();
            readMachines(readSet()).machines().stream()
                    .filter(Machine::counts)
                    .map(Machine::id)
                    .filter(ids::contains)
                    .forEach(there::add);
            memory.outdated();
            if (!there.isEmpty()) {
                remove(there, repeated);
            }
        }

        private void remove(Set<String> ids, boolean repeated) throws ArmException {
            // For Azure an empty list means all machines.
            if (ids.isEmpty()) {
                throw new IllegalArgumentException("a request to remove machines must name a machine");
            }
            var named = new VirtualMachineScaleSetVMInstanceRequiredIDs().withInstanceIds(List.copyOf(ids));
            var accepted = arm.begin(
                    "DELETE " + id,
                    () -> arm.compute()
                            .getVirtualMachineScaleSets()
                            .deleteInstancesWithResponseAsync(spec.resourceGroup(), spec.name(), named, null));
            begun(accepted, ids, repeated);
        }

        private void begun(Arm.Accepted accepted, Set<String> removes, boolean repeated) {
            memory.outdated();
            accepted.operation()
                    .ifPresent(url -> memory.operations.addLast(
                            new Operation(Optional.of(url), removes, clock.instant(), repeated)));
        }
    }
}
