package dev.trainyard.cloud.azure;

import static dev.trainyard.emulator.azure.AzureEmulator.error;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.azure.ArmRequest;
import dev.trainyard.emulator.azure.AzureFault;
import dev.trainyard.emulator.azure.AzurePace;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.StrangeValues;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.Machine.State;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** HTTP faults between the scaler and single machines. No machine is lost, none is launched in excess, and the message is right. */
class VirtualMachineFaultTest {

    private static final String PREFIX = VirtualMachineStage.PREFIX;

    @TempDir
    private Path directory;

    private VirtualMachineStage cloud;
    private Pool pool;

    @BeforeEach
    void open() {
        cloud = new VirtualMachineStage(directory);
        pool = cloud.pool(Objects.spot(1).max(20));
    }

    @AfterEach
    void close() {
        cloud.close();
    }

    /** Replaces each value of each answer in turn with an invalid one. */
    @Test
    void strangeValuesAreReadOrRefusedInWords() throws Exception {
        running(2);
        var names = StrangeValues.JSON.meet(cloud.arm::rewrite, () -> {
            cloud.restart();
            return cloud.provider().read(pool);
        });
        assertThat(names).contains("provisioningState");
        cloud.restart();
        assertThat(read().target()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(names = {"THROTTLED", "THROTTLED_WITH_RETRY_AFTER"})
    void aStormOfRefusalsIsNoSizeAndCostsNoMachine(AzureFault storm) throws Exception {
        running(3);
        cloud.arm.trouble(ScaleSetStage.ANY, storm);
        for (int second = 0; second < 120; second += 5) {
            cloud.clock.move(Duration.ofSeconds(5));
            // The last reading is valid until it is 30 s old.
            var refusal = catchThrowableOfType(ProviderException.class, this::read);
            assertThat(refusal == null ? FailureKind.THROTTLED : refusal.kind()).isEqualTo(FailureKind.THROTTLED);
        }
        assertThat(kind(() -> cloud.provider().grow(pool, 3, 5))).isEqualTo(FailureKind.THROTTLED);
        // Without a stated delay, there are a few requests a minute; otherwise none before the delay has passed.
        assertThat(cloud.arm.troubles()).isLessThanOrEqualTo(10);
        cloud.clearFaults();
        assertThat(read().target()).isEqualTo(3);
        assertThat(cloud.machines()).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(names = {"CUT_SHORT", "HALF_JSON", "INTERNAL_ERROR", "RESET"})
    void aListOfWhichAPageFailsIsNoList(AzureFault fault) throws Exception {
        cloud.arm.pageSize(2);
        running(5);
        cloud.arm.trouble(VirtualMachineFaultTest::isLaterPage, fault);
        cloud.clock.move(Duration.ofMinutes(1));
        assertThat(kind(this::read)).isEqualTo(FailureKind.TRANSIENT);
        assertThat(kind(() -> cloud.provider().grow(pool, 5, 6))).isEqualTo(FailureKind.TRANSIENT);
        cloud.clearFaults();
        assertThat(read().machines()).hasSize(5);
        assertThat(cloud.machines()).hasSize(5);
    }

    @Test
    void aListOfInterfacesOfWhichAPageFailsRemovesNothing() throws Exception {
        for (int index = 0; index < 5; index++) {
            cloud.cloud.makeStanding(PREFIX, index);
        }
        cloud.settle();
        cloud.provider().terminate(pool, read().machines().subList(0, 2));
        cloud.settle();
        cloud.arm.pageSize(2);
        cloud.arm.trouble(
                request -> isLaterPage(request) && request.path().endsWith("/networkInterfaces"), AzureFault.HALF_JSON);
        assertThat(read().target()).isEqualTo(3);
        assertThat(cloud.cloud.interfaces()).hasSize(5);
        cloud.clearFaults();
        readFor(Duration.ofMinutes(2));
        assertThat(cloud.cloud.interfaces()).hasSize(3);
        assertThat(cloud.cloud.disks()).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(names = {"INTERNAL_ERROR", "THROTTLED_WITH_RETRY_AFTER", "RESET"})
    void whatMachinesLeaveBehindGoesWhenAzureLetsIt(AzureFault fault) throws Exception {
        for (int index = 0; index < 3; index++) {
            cloud.cloud.makeStanding(PREFIX, index);
        }
        cloud.settle();
        cloud.arm.trouble(
                request -> request.method().equals("DELETE") && !request.path().contains("/virtualMachines/"), fault);
        cloud.provider().terminate(pool, read().machines().subList(0, 2));
        readFor(Duration.ofMinutes(2));
        assertThat(read().target()).isEqualTo(1);
        assertThat(cloud.cloud.interfaces()).hasSize(3);
        cloud.clearFaults();
        readFor(Duration.ofMinutes(2));
        assertThat(cloud.cloud.interfaces()).hasSize(1);
        assertThat(cloud.cloud.disks()).hasSize(1);
    }

    @Test
    void anInterfaceThatAzureKeepsKeepsNothingOfOtherMachines() throws Exception {
        for (int index = 0; index < 3; index++) {
            cloud.cloud.makeStanding(PREFIX, index);
        }
        cloud.settle();
        cloud.arm.trouble(
                request -> request.method().equals("DELETE") && request.path().endsWith("nic-0"),
                AzureFault.INTERNAL_ERROR);
        cloud.provider().terminate(pool, read().machines().subList(0, 2));
        readFor(Duration.ofMinutes(2));
        assertThat(cloud.cloud.interfaces()).containsExactly(PREFIX + "nic-0", PREFIX + "nic-2");
        assertThat(cloud.cloud.disks()).hasSize(2);
    }

    @Test
    void aSlowListIsCutOffAndOtherPoolsOfItsResourceGroupDoNotWaitForTheSame() throws Exception {
        running(1);
        cloud.restart(Duration.ofMillis(700));
        var sister = Pool.of("agentpool2", cloud.spec(Objects.spot(1), "k8s-agentpool2-12345678-"));
        cloud.arm.trouble(ScaleSetStage.ANY, AzureFault.HANGS);
        assertThat(kind(this::read)).isEqualTo(FailureKind.TRANSIENT);
        long started = System.nanoTime();
        assertThat(kind(() -> cloud.provider().read(sister))).isEqualTo(FailureKind.TRANSIENT);
        assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofMillis(500));
        cloud.clearFaults();
        cloud.restart();
        assertThat(read().target()).isEqualTo(1);
    }

    @Test
    void anExpiredTokenIsAMatterOfCredentialsAndPasses() throws Exception {
        running(1);
        cloud.arm.trouble(ScaleSetStage.ANY, AzureFault.TOKEN_EXPIRED);
        cloud.clock.move(Duration.ofSeconds(61));
        var refusal = catchThrowableOfType(ProviderException.class, this::read);
        assertThat(refusal.kind()).isEqualTo(FailureKind.AUTH);
        assertThat(refusal.words()).contains("ExpiredAuthenticationToken");
        cloud.clearFaults();
        assertThat(read().machines()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"FORBIDDEN", "RESET"})
    void aRefusedRemovalCostsNobodyADiskLater(AzureFault fault) throws Exception {
        cloud.cloud.makeStanding(PREFIX, 0);
        cloud.cloud.makeStanding(PREFIX, 1);
        cloud.settle();
        cloud.arm.trouble(
                request -> request.method().equals("DELETE") && request.path().endsWith(PREFIX + "0"), fault);
        var doomed = read().machines().subList(0, 1);
        kind(() -> cloud.provider().terminate(pool, doomed));
        cloud.clearFaults();
        cloud.restart();
        readFor(Duration.ofMinutes(30));
        // A user removes the machine by hand, and keeps its disk.
        cloud.cloud.remove(PREFIX + "0");
        readFor(Duration.ofMinutes(30));
        assertThat(cloud.cloud.disks()).hasSize(2);
        assertThat(cloud.cloud.interfaces()).hasSize(2);
    }

    @Test
    void aRefusalTakesTheMarksOffAtOnce() throws Exception {
        cloud.cloud.makeStanding(PREFIX, 0);
        cloud.settle();
        cloud.arm.trouble(request -> request.method().equals("DELETE"), AzureFault.FORBIDDEN);
        var doomed = read().machines();
        assertThat(kind(() -> cloud.provider().terminate(pool, doomed))).isEqualTo(FailureKind.AUTH);
        assertThat(cloud.cloud.networkInterface(PREFIX + "nic-0").path("tags").has(Fleet.REMOVING))
                .isFalse();
        cloud.clearFaults();
        cloud.provider().terminate(pool, read().machines());
        readFor(Duration.ofMinutes(3));
        assertThat(cloud.cloud.disks()).isEmpty();
    }

    @Test
    void aMachineThatAzureKeepsKeepsNoOther() throws Exception {
        running(20);
        cloud.arm.trouble(
                request -> request.method().equals("DELETE") && request.path().endsWith(PREFIX + "0"),
                AzureFault.FORBIDDEN);
        var doomed = read().machines();
        assertThat(kind(() -> cloud.provider().terminate(pool, doomed))).isEqualTo(FailureKind.AUTH);
        assertThat(cloud.machines()).hasSize(1);
    }

    static List<Object[]> stockOuts() {
        return List.of(
                new Object[] {error("AllocationFailed", "Allocation failed."), FailureKind.SPOT_CAPACITY},
                new Object[] {error("ZonalAllocationFailed", "Allocation failed in zone 1."), FailureKind.SPOT_CAPACITY
                },
                new Object[] {
                    error("OverconstrainedAllocationRequest", "Allocation failed. Constraints cannot be met."),
                    FailureKind.SPOT_CAPACITY
                },
                new Object[] {
                    error("SkuNotAvailable", "The requested VM size is currently not available in 'westeurope'."),
                    FailureKind.SPOT_CAPACITY
                },
                new Object[] {
                    error("QuotaExceeded", "exceeding approved standardNCFamily Cores quota."), FailureKind.QUOTA
                },
                new Object[] {
                    error("OperationNotAllowed", "exceeding approved LowPriorityCores quota. Current Limit: 3"),
                    FailureKind.QUOTA
                },
                new Object[] {
                    error("OperationNotAllowed", "The availability set cannot have any more machines."),
                    FailureKind.TRANSIENT
                });
    }

    @ParameterizedTest
    @MethodSource("stockOuts")
    void whatAMachineFailedOfIsToldWithinOnePollAndItCanGo(ObjectNode error, FailureKind kind) throws Exception {
        cloud.cloud.stock(1);
        cloud.cloud.stockOut(error);
        cloud.provider().grow(pool, 0, 2);
        var readable = cloud.clock.instant().plus(AzurePace.USUAL.failure());
        while (read().failures().isEmpty() && cloud.clock.instant().isBefore(readable.plusSeconds(60))) {
            cloud.clock.move(ScaleSetProvider.ATTENTION);
        }
        assertThat(cloud.clock.instant()).isBefore(readable.plus(VirtualMachineMemory.MOVING));
        assertThat(read().failures()).extracting(Failure::kind).containsExactly(kind);
        assertThat(read().failures().get(0).message())
                .contains(error.path("message").asText());
        assertThat(read().failures().get(0).at()).isEqualTo(readable);
        cloud.provider()
                .terminate(
                        pool,
                        read().machines().stream()
                                .filter(machine -> machine.state() == State.FAILED)
                                .toList());
        readFor(Duration.ofMinutes(3));
        assertThat(read().target()).isEqualTo(1);
        assertThat(cloud.cloud.interfaces()).hasSize(1);
        assertThat(cloud.cloud.disks()).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("stockOuts")
    void whatIsRefusedAtOnceLeavesNothingBehind(ObjectNode error, FailureKind kind) throws Exception {
        cloud.cloud.refuse(error);
        var refusal = catchThrowableOfType(
                ProviderException.class, () -> cloud.provider().grow(pool, 0, 5));
        assertThat(refusal.kind()).isEqualTo(kind);
        assertThat(refusal.words()).contains(error.path("message").asText());
        assertThat(read().target()).isZero();
        assertThat(cloud.cloud.interfaces()).isEmpty();
    }

    @Test
    void anOrderThatFailedHalfWayIsCarriedOnWhenItIsGivenAgain() throws Exception {
        cloud.arm.trouble(secondOrder(), AzureFault.INTERNAL_ERROR);
        cloud.provider().grow(pool, 0, 5);
        assertThat(read().failures()).extracting(Failure::kind).containsExactly(FailureKind.TRANSIENT);
        assertThat(read().target()).isLessThan(5);
        cloud.provider().grow(pool, 0, 5);
        assertThat(read().failures()).isEmpty();
        cloud.settle();
        assertThat(cloud.machines()).hasSize(5);
        assertThat(kind(() -> cloud.provider().grow(pool, 4, 6))).isEqualTo(FailureKind.CONFLICT);
    }

    @Test
    void ordersOfMachinesShareAzuresPatienceAndNoInterfaceIsMadeForNone() throws Exception {
        cloud.arm.troubleOnce(
                request -> request.method().equals("PUT") && request.path().contains("/virtualMachines/"),
                AzureFault.THROTTLED_WITH_RETRY_AFTER);
        assertThat(kind(() -> cloud.provider().grow(pool, 0, 1))).isEqualTo(FailureKind.THROTTLED);
        cloud.cloud.makeStanding(PREFIX, 0);
        cloud.arm.forget();
        var refusal = catchThrowableOfType(
                ProviderException.class, () -> cloud.provider().grow(pool, 1, 2));
        assertThat(refusal.kind()).isEqualTo(FailureKind.THROTTLED);
        assertThat(refusal.retryAfter()).hasValue(Duration.ofSeconds(40));
        assertThat(cloud.arm.seen()).noneMatch(call -> call.request().changes());
        cloud.clock.move(Duration.ofSeconds(40));
        cloud.provider().grow(pool, 1, 2);
        assertThat(cloud.machines()).hasSize(2);
    }

    @Test
    void removalsOfMachinesShareAzuresPatience() throws Exception {
        running(2);
        cloud.cloud.makeStanding(PREFIX, 2);
        cloud.settle();
        cloud.arm.troubleOnce(request -> request.method().equals("DELETE"), AzureFault.THROTTLED_WITH_RETRY_AFTER);
        assertThat(kind(() -> cloud.provider().terminate(pool, read().machines().subList(0, 1))))
                .isEqualTo(FailureKind.THROTTLED);
        cloud.arm.forget();
        // This machine's interface and disk are not even marked, because the deletion after that would be throttled.
        assertThat(kind(() -> cloud.provider().terminate(pool, read().machines().subList(2, 3))))
                .isEqualTo(FailureKind.THROTTLED);
        assertThat(cloud.arm.seen()).noneMatch(call -> call.request().changes());
    }

    @Test
    void aLinkToAnotherAddressIsNotFollowed() throws Exception {
        running(3);
        cloud.arm.pageSize(2);
        cloud.arm.linkTo(URI.create(cloud.arm.url().toString().replace("127.0.0.1", "localhost")));
        cloud.clock.move(Duration.ofMinutes(1));
        var refusal = catchThrowableOfType(ProviderException.class, this::read);
        assertThat(refusal.words()).contains("an address outside Azure").contains("localhost");
    }

    @Test
    void aFailureWithoutATimeIsOfWhenItsMachineWasOrdered() throws Exception {
        cloud.cloud.stock(0);
        cloud.cloud.withoutTimes();
        var ordered = cloud.clock.instant();
        cloud.provider().grow(pool, 0, 1);
        cloud.settle();
        assertThat(read().failures()).extracting(Failure::at).containsExactly(ordered);
    }

    @Test
    void aMachineThatSomebodyMadeMeanwhileIsNotChanged() throws Exception {
        running(1);
        cloud.cloud.lag(Duration.ofMinutes(10));
        cloud.cloud.makeHidden(PREFIX, 1);
        var made = cloud.cloud.machine(PREFIX + "1");
        assertThat(kind(() -> cloud.provider().grow(pool, 1, 2))).isEqualTo(FailureKind.CONFLICT);
        assertThat(cloud.cloud.machine(PREFIX + "1")).isSameAs(made);
        // The interface stays, because the other machine may use it. The pool's size now includes this machine.
        assertThat(cloud.cloud.interfaces()).contains(PREFIX + "nic-1");
        assertThat(read().target()).isEqualTo(2);
    }

    @Test
    void aRefusalForHasteAfterSomeWereAcceptedBlamesNoPool() throws Exception {
        cloud.arm.trouble(secondOrder(), AzureFault.THROTTLED);
        cloud.provider().grow(pool, 0, 4);
        assertThat(cloud.arm.troubles()).isEqualTo(1);
        assertThat(read().target()).isBetween(1, 3);
        assertThat(read().failures()).isEmpty();
    }

    @Test
    void machinesThatNoListTellsOfYetAreNotBoughtAgain() throws Exception {
        cloud.cloud.lag(Duration.ofMinutes(2));
        cloud.provider().grow(pool, 0, 2);
        for (int second = 0; second < 120; second += 15) {
            assertThat(read().target()).isEqualTo(2);
            assertThat(read().machines()).extracting(Machine::state).containsOnly(State.CREATING);
            cloud.provider().grow(pool, 0, 2);
            cloud.clock.move(Duration.ofSeconds(15));
        }
        cloud.provider().grow(pool, 2, 3);
        assertThat(cloud.cloud.names()).containsOnly(PREFIX + "0", PREFIX + "1", PREFIX + "2");
        readFor(Duration.ofMinutes(4));
        assertThat(read().machines()).hasSize(3).extracting(Machine::state).containsOnly(State.RUNNING);
    }

    @Test
    void whatWasOrderedAndIsInNoListIsGivenUpAfterAWhile() throws Exception {
        cloud.cloud.lag(Duration.ofHours(1));
        cloud.provider().grow(pool, 0, 1);
        cloud.cloud.remove(PREFIX + "0");
        readFor(VirtualMachineMemory.LAG.minusSeconds(20));
        assertThat(read().target()).isEqualTo(1);
        readFor(Duration.ofSeconds(40));
        assertThat(read().target()).isZero();
    }

    @Test
    void afterARestartUnlistedMachinesAreLookedForAgainIfTheirInterfacesCouldNotBeRead() throws Exception {
        cloud.cloud.lag(Duration.ofMinutes(2));
        cloud.provider().grow(pool, 0, 2);
        cloud.restart();
        cloud.arm.troubleOnce(request -> request.path().endsWith("/networkInterfaces"), AzureFault.INTERNAL_ERROR);
        assertThat(kind(this::read)).isEqualTo(FailureKind.TRANSIENT);
        assertThat(read().target()).isEqualTo(2);
    }

    @Test
    void afterARestartMachinesThatNoListTellsOfAreKnownByTheirInterfaces() throws Exception {
        cloud.cloud.lag(Duration.ofMinutes(2));
        cloud.provider().grow(pool, 0, 2);
        cloud.restart();
        assertThat(read().target()).isEqualTo(2);
        cloud.restart();
        cloud.provider().grow(pool, 0, 2);
        cloud.provider().grow(pool, 2, 3);
        assertThat(cloud.cloud.names()).containsOnly(PREFIX + "0", PREFIX + "1", PREFIX + "2");
    }

    @Test
    void machinesThatGoAreOnTheirWayOutThoughAListSaysThatTheyAreThere() throws Exception {
        running(3);
        cloud.cloud.lag(Duration.ofMinutes(2));
        var doomed = read().machines().subList(0, 1);
        cloud.provider().terminate(pool, doomed);
        cloud.arm.forget();
        for (int second = 0; second < 240; second += 15) {
            assertThat(read().target()).isEqualTo(2);
            cloud.provider().terminate(pool, doomed);
            cloud.clock.move(Duration.ofSeconds(15));
        }
        assertThat(cloud.arm.seen())
                .filteredOn(call -> call.request().method().equals("DELETE")
                        && call.request().path().contains("/virtualMachines/"))
                .isEmpty();
        assertThat(read().machines()).hasSize(2);
        cloud.provider().grow(pool, 2, 3);
        assertThat(cloud.machines()).hasSize(3);
    }

    /** As in kubernetes/autoscaler 7432, but for a pool without a stored size. A decision from an old number of machines must add none. */
    @Test
    void aStaleSizeMakesNoMachineTooMany() throws Exception {
        running(2);
        cloud.resize(4);
        assertThat(kind(() -> cloud.provider().grow(pool, 2, 5))).isEqualTo(FailureKind.CONFLICT);
        assertThat(cloud.machines()).hasSize(4);
    }

    @Test
    void aMachineThatVanishedCountsNoMoreAndWhatWasMadeWithItGoes() throws Exception {
        running(2);
        cloud.vanish(cloud.machines().iterator().next());
        assertThat(read().target()).isEqualTo(1);
        readFor(Duration.ofMinutes(22));
        assertThat(cloud.cloud.interfaces()).hasSize(1);
        assertThat(cloud.cloud.disks()).hasSize(1);
    }

    /** Matches the second request to arrive, for whichever machine. Requests run in parallel; if the first were refused, none would follow. */
    private static Predicate<ArmRequest> secondOrder() {
        var orders = new AtomicInteger();
        return request -> request.method().equals("PUT")
                && request.path().contains("/virtualMachines/")
                && orders.incrementAndGet() == 2;
    }

    @FunctionalInterface
    private interface Command {
        void give() throws ProviderException;
    }

    private static FailureKind kind(Command command) {
        var refusal = catchThrowableOfType(ProviderException.class, command::give);
        assertThat(refusal).as("refused").isNotNull();
        return refusal.kind();
    }

    private void running(int machines) throws ProviderException {
        cloud.provider().grow(pool, 0, machines);
        cloud.settle();
        assertThat(read().machines()).hasSize(machines);
    }

    private void readFor(Duration time) throws ProviderException {
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plusSeconds(10)) {
            cloud.clock.move(Duration.ofSeconds(10));
            read();
        }
    }

    private PoolState read() throws ProviderException {
        return cloud.provider().read(pool);
    }

    private static boolean isLaterPage(ArmRequest request) {
        return request.query().containsKey("$skiptoken");
    }
}
