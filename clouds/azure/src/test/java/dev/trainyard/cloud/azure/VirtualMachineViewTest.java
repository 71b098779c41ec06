package dev.trainyard.cloud.azure;

import static dev.trainyard.emulator.azure.AzureEmulator.error;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.azure.ArmRequest;
import dev.trainyard.emulator.azure.AzureFault;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.Machine.State;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Facts that lists of single machines lack. Azure is asked machine by machine, and one unreadable machine does not hide its pool. */
class VirtualMachineViewTest {

    private static final String PREFIX = VirtualMachineStage.PREFIX;

    @TempDir
    private Path directory;

    private VirtualMachineStage cloud;
    private Pool pool;

    @BeforeEach
    void open() {
        cloud = new VirtualMachineStage(directory);
        pool = cloud.pool(Objects.spot(1).max(100));
    }

    @AfterEach
    void close() {
        cloud.close();
    }

    @Test
    void aFailedMachineThatIsGoneAndStillListedIsOnItsWayOut() throws Exception {
        cloud.cloud.stock(2);
        cloud.provider().grow(pool, 0, 3);
        cloud.settle();
        cloud.cloud.lag(Duration.ofMinutes(1));
        var failed = read().machines().stream()
                .filter(machine -> machine.state() == State.FAILED)
                .map(Machine::nodeName)
                .findFirst();
        cloud.cloud.remove(failed.orElseThrow());
        cloud.restart();
        assertThat(read().target()).isEqualTo(2);
        assertThat(read().machines())
                .extracting(Machine::state)
                .containsExactlyInAnyOrder(State.RUNNING, State.RUNNING, State.DELETING);
    }

    @Test
    void aMachineOfWhichAzureSaysNothingBlindsNoPool() throws Exception {
        cloud.cloud.stock(1);
        cloud.provider().grow(pool, 0, 2);
        cloud.settle();
        cloud.arm.trouble(VirtualMachineViewTest::isView, AzureFault.INTERNAL_ERROR);
        assertThat(read().machines()).extracting(Machine::state).containsOnly(State.RUNNING, State.FAILED);
        assertThat(read().failures()).isEmpty();
        cloud.clearFaults();
        assertThat(read().failures()).extracting(Failure::message).hasSize(1);
    }

    @Test
    void aMachineThatRanIsTakenToRunWhileAzureSaysNothingOfIt() throws Exception {
        cloud.provider().grow(pool, 0, 1);
        cloud.settle();
        read();
        vm(0).withObject("/properties").put("provisioningState", "Failed");
        cloud.arm.trouble(VirtualMachineViewTest::isView, AzureFault.INTERNAL_ERROR);
        readFor(Duration.ofMinutes(2));
        assertThat(read().machines()).extracting(Machine::state).containsExactly(State.RUNNING);
    }

    @Test
    void whatAzureSaidOfFortyFailedMachinesIsKeptThoughOneAnswerFailed() throws Exception {
        cloud.cloud.stock(0);
        cloud.provider().grow(pool, 0, 40);
        cloud.settle();
        cloud.arm.troubleOnce(
                request -> isView(request) && request.path().endsWith(PREFIX + "39"), AzureFault.INTERNAL_ERROR);
        assertThat(read().failures()).hasSize(39);
        cloud.arm.forget();
        cloud.clock.move(VirtualMachineMemory.QUIET);
        assertThat(read().failures()).hasSize(40);
        assertThat(views()).isOne();
    }

    @Test
    void aMachineThatFailedRanAndWasStoppedHasFailed() throws Exception {
        cloud.provider().grow(pool, 0, 1);
        cloud.settle();
        vm(0).withObject("/properties").put("provisioningState", "Failed");
        cloud.clock.move(Duration.ofMinutes(1));
        assertThat(read().machines()).extracting(Machine::state).containsExactly(State.RUNNING);
        power(vm(0), "failed/VMExtensionProvisioningError", "deallocated");
        readFor(VirtualMachineMemory.VIEWED.plusMinutes(1));
        assertThat(read().machines()).extracting(Machine::state).containsExactly(State.FAILED);
    }

    @Test
    void aMachineThatStartedTooLateRuns() throws Exception {
        cloud.cloud.stock(0);
        cloud.cloud.stockOut(error("OSProvisioningTimedOut", "OS Provisioning did not finish in the allotted time."));
        cloud.provider().grow(pool, 0, 1);
        cloud.settle();
        assertThat(read().machines()).extracting(Machine::state).containsExactly(State.FAILED);
        power(vm(0), "failed/OSProvisioningTimedOut", "running");
        readFor(VirtualMachineMemory.VIEWED.plusMinutes(1));
        assertThat(read().machines()).extracting(Machine::state).containsExactly(State.RUNNING);
    }

    @Test
    void anEvictedSpotMachineThatStaysHasFailedAndItsPolicyIsWarnedOf() throws Exception {
        cloud.provider().grow(pool, 0, 1);
        cloud.settle();
        assertThat(read().warnings()).isEmpty();
        vm(0).withObject("/properties").put("evictionPolicy", "Deallocate");
        power(vm(0), "succeeded", "deallocated");
        readFor(VirtualMachineMemory.VIEWED);
        assertThat(read().machines()).extracting(Machine::state).containsExactly(State.FAILED);
        assertThat(read().warnings()).anyMatch(warning -> warning.contains("eviction policy is Deallocate"));
    }

    @Test
    void spotMachinesThatWouldStayAreAskedForOnceAMinute() throws Exception {
        cloud.provider().grow(pool, 0, 3);
        cloud.settle();
        for (int index = 0; index < 3; index++) {
            vm(index).withObject("/properties").put("evictionPolicy", "Deallocate");
        }
        readFor(Duration.ofMinutes(1));
        cloud.arm.forget();
        readFor(Duration.ofMinutes(10));
        assertThat(views()).isBetween(24L, 30L);
    }

    @Test
    void machinesOfAnotherSortThanThePoolsAreWarnedOf() throws Exception {
        cloud.cloud.makeStanding(PREFIX, 0);
        cloud.cloud.makeStanding(PREFIX, 1);
        cloud.settle();
        assertThat(read().warnings())
                .containsExactly("its machines are on-demand machines, but spec.capacityType is %s"
                        .formatted(pool.capacityType()));
    }

    @Test
    void aClockThatIsSetBackStopsNoReading() throws Exception {
        cloud.provider().grow(pool, 0, 2);
        cloud.settle();
        assertThat(read().target()).isEqualTo(2);
        cloud.clock.move(Duration.ofHours(-1));
        cloud.cloud.remove(PREFIX + "0");
        assertThat(read().target()).isEqualTo(1);
    }

    @Test
    void whatWasOrderedIsKeptForAsLongThoughTheClockIsSetBack() {
        var memory = new VirtualMachineMemory();
        var now = cloud.clock.instant();
        var before = now.minus(Duration.ofHours(1));
        memory.ordered("a", now);
        assertThat(memory.unlisted(List.of(), before)).containsOnlyKeys("a");
        assertThat(memory.unlisted(List.of(), before.plus(VirtualMachineMemory.LAG)))
                .isEmpty();
    }

    private ObjectNode vm(int index) {
        return (ObjectNode) cloud.cloud.machine(PREFIX + index);
    }

    private static void power(ObjectNode vm, String provisioning, String power) {
        var statuses = vm.withObject("/properties/instanceView").putArray("statuses");
        statuses.addObject().put("code", "ProvisioningState/" + provisioning);
        statuses.addObject().put("code", "PowerState/" + power);
    }

    private long views() {
        return cloud.arm.seen().stream().filter(call -> isView(call.request())).count();
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

    private static boolean isView(ArmRequest request) {
        return request.method().equals("GET") && request.path().contains("/virtualMachines/");
    }
}
