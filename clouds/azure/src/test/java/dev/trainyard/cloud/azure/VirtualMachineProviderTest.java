package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.azure.AzureFault;
import dev.trainyard.emulator.azure.TokenBuckets;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.provider.Failure;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.Machine;
import dev.trainyard.scaler.provider.Machine.State;
import dev.trainyard.scaler.provider.PoolState;
import dev.trainyard.scaler.provider.ProviderException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VirtualMachineProviderTest {

    private static final String PREFIX = VirtualMachineStage.PREFIX;

    @TempDir
    private Path directory;

    @TempDir
    private Path elsewhere;

    private VirtualMachineStage cloud;
    private Pool pool;

    @BeforeEach
    void open() {
        cloud = new VirtualMachineStage(directory);
        pool = cloud.pool(Objects.onDemand(1).max(20));
    }

    @AfterEach
    void close() {
        cloud.close();
    }

    @Test
    void newMachinesTakeTheLowestFreeIndexesAndAreMadeLikeTheirSister() throws Exception {
        cloud.cloud.makeStanding(PREFIX, 1);
        cloud.settle();
        cloud.template = cloud.onlyCustomData();
        pool = cloud.pool(Objects.onDemand(1).max(20));
        cloud.provider().grow(pool, 1, 3);
        assertThat(cloud.cloud.names()).containsOnly(PREFIX + "0", PREFIX + "1", PREFIX + "2");
        assertThat(cloud.cloud.interfaces()).containsOnly(PREFIX + "nic-0", PREFIX + "nic-1", PREFIX + "nic-2");
        var made = cloud.cloud.machine(PREFIX + "0").path("properties");
        assertThat(made.path("hardwareProfile").path("vmSize").asText()).isEqualTo("Standard_NC6");
        assertThat(made.path("storageProfile")
                        .path("imageReference")
                        .path("sku")
                        .asText())
                .isEqualTo("16.04-LTS");
        assertThat(made.path("storageProfile").path("osDisk").path("name").asText())
                .isEqualTo(PREFIX + "0-osdisk");
        assertThat(made.path("osProfile").path("customData").asText()).isEqualTo("I2Nsb3VkLWNvbmZpZwo=");
        assertThat(made.path("osProfile")
                        .path("linuxConfiguration")
                        .path("ssh")
                        .path("publicKeys")
                        .get(0)
                        .path("keyData")
                        .asText())
                .isEqualTo("ssh-rsa AAAA");
        assertThat(made.path("availabilitySet").path("id").asText()).endsWith("agentpool1-availabilitySet");
        var nic = cloud.cloud.networkInterface(PREFIX + "nic-0").path("properties");
        assertThat(nic.path("ipConfigurations")).hasSize(2);
        assertThat(nic.path("enableIPForwarding").asBoolean()).isTrue();
        assertThat(cloud.cloud.journal().subList(2, 6))
                .containsSubsequence("nic " + PREFIX + "nic-0 made", "vm " + PREFIX + "0 made");
    }

    @Test
    void whatATemplateLacksIsNamed() {
        cloud.template = cloud.onlyCustomData();
        pool = cloud.pool(Objects.onDemand(1).max(20));
        var refusal = catchThrowableOfType(
                ProviderException.class, () -> cloud.provider().grow(pool, 0, 1));
        assertThat(refusal.kind()).isEqualTo(FailureKind.INVALID_CONFIGURATION);
        assertThat(refusal.words())
                .contains(
                        "spec.provider.azureVirtualMachines.template: location, vmSize, image, subnetId, adminUsername, sshPublicKey missing");
        cloud.template = null;
        pool = cloud.pool(Objects.onDemand(1).max(20));
        assertThat(catchThrowableOfType(
                                ProviderException.class, () -> cloud.provider().grow(pool, 0, 1))
                        .words())
                .contains("template.customDataFile: missing");
    }

    @Test
    void aMachineGoesThenItsInterfaceThenItsDisk() throws Exception {
        cloud.cloud.makeStanding(PREFIX, 0);
        cloud.cloud.makeStanding(PREFIX, 1);
        cloud.settle();
        cloud.cloud.forget();
        cloud.provider().terminate(pool, read().machines().subList(0, 1));
        readFor(Duration.ofMinutes(3));
        assertThat(cloud.cloud.journal())
                .containsExactly(
                        "vm " + PREFIX + "0 deleting",
                        "vm " + PREFIX + "0 deleted",
                        "nic " + PREFIX + "nic-0 deleted",
                        "disk " + PREFIX + "0_OsDisk_1_0a1b2c3d deleted");
        assertThat(read().machines()).extracting(Machine::nodeName).containsExactly(PREFIX + "1");
    }

    @Test
    void whatWasMadeHereGoesWithItsMachineWithoutAnyMark() throws Exception {
        cloud.provider().grow(pool, 0, 1);
        cloud.settle();
        cloud.arm.forget();
        cloud.provider().terminate(pool, read().machines());
        cloud.settle();
        assertThat(List.of(cloud.cloud.names(), cloud.cloud.interfaces(), cloud.cloud.disks()))
                .allMatch(Set::isEmpty);
        assertThat(cloud.arm.seen())
                .filteredOn(call -> call.request().changes())
                .extracting(call -> call.request().method())
                .containsExactly("DELETE");
    }

    @Test
    void machinesOfAPoolWhoseNamesBeginAlikeAreNotTouched() throws Exception {
        var sister = PREFIX + "1-";
        for (int index = 0; index < 2; index++) {
            cloud.cloud.makeStanding(PREFIX, index);
            cloud.cloud.makeStanding(sister, index);
        }
        cloud.settle();
        assertThat(read().machines()).extracting(Machine::nodeName).containsExactly(PREFIX + "0", PREFIX + "1");
        cloud.provider().terminate(pool, read().machines());
        cloud.cloud.remove(sister + "0");
        readFor(Duration.ofMinutes(3));
        assertThat(cloud.cloud.names()).containsExactly(sister + "1");
        assertThat(cloud.cloud.interfaces()).containsExactly(sister + "nic-0", sister + "nic-1");
        assertThat(cloud.cloud.disks()).hasSize(2);
        assertThat(read().target()).isZero();
        cloud.provider().grow(pool, 0, 1);
        assertThat(cloud.cloud.names()).containsExactly(PREFIX + "0", sister + "1");
    }

    @Test
    void aReadingIsAsOldAsTheListThatItsPoolSharesWithOthers() throws Exception {
        var prefix = "k8s-agentpool2-12345678-";
        var sister = Pool.of("agentpool2", cloud.spec(Objects.onDemand(1), prefix));
        read();
        cloud.clock.move(VirtualMachineMemory.MOVING.minusSeconds(1));
        cloud.cloud.makeStanding(prefix, 0);
        assertThat(cloud.provider().read(sister).target())
                .as("of the list of before")
                .isZero();
        cloud.clock.move(
                VirtualMachineMemory.QUIET.minus(VirtualMachineMemory.MOVING).plusSeconds(1));
        assertThat(cloud.provider().read(sister).target()).isEqualTo(1);
    }

    @Test
    void oneReadingRemovesNoMoreThanARoundCanWaitFor() throws Exception {
        for (int index = 0; index < 30; index++) {
            cloud.cloud.makeStanding(PREFIX, index);
        }
        cloud.settle();
        cloud.provider().terminate(pool, read().machines());
        cloud.settle();
        assertThat(read().target()).isZero();
        assertThat(cloud.cloud.interfaces()).hasSize(30 - VirtualMachineProvider.MOST_CLEARED);
        readFor(Duration.ofMinutes(2));
        assertThat(cloud.cloud.interfaces()).isEmpty();
        assertThat(cloud.cloud.disks()).isEmpty();
    }

    @Test
    void onlyAFileOfItsDirectoryIsSentToAzure() throws Exception {
        var secret = Files.writeString(elsewhere.resolve("token"), "secret");
        var link = Files.createSymbolicLink(directory.resolve("link"), secret);
        var large = Files.write(directory.resolve("large"), new byte[64 * 1024 + 1]);
        for (var file : List.of(
                secret,
                link,
                directory.resolve("../" + elsewhere.getFileName() + "/token"),
                Path.of("/proc/self/environ"),
                directory,
                large)) {
            cloud.template = cloud.customData(file);
            pool = cloud.pool(Objects.onDemand(1).max(20));
            var refusal = catchThrowableOfType(
                    ProviderException.class, () -> cloud.provider().grow(pool, 0, 1));
            assertThat(refusal.kind()).as(file.toString()).isEqualTo(FailureKind.INVALID_CONFIGURATION);
            assertThat(refusal.words())
                    .contains("template.customDataFile")
                    .containsAnyOf("TRAINYARD_AZURE_CUSTOM_DATA_DIR", "is not a regular file", "65536 bytes");
        }
        assertThat(cloud.cloud.names()).isEmpty();
    }

    @Test
    void aRemovalThatACrashCutShortIsCarriedOn() throws Exception {
        cloud.cloud.makeStanding(PREFIX, 0);
        cloud.settle();
        cloud.provider().terminate(pool, read().machines());
        cloud.settle();
        assertThat(cloud.cloud.names()).isEmpty();
        assertThat(cloud.cloud.interfaces()).hasSize(1);
        cloud.restart();
        read();
        assertThat(cloud.cloud.interfaces()).isEmpty();
        assertThat(cloud.cloud.disks()).hasSize(1);
        cloud.restart();
        readFor(Duration.ofSeconds(30));
        assertThat(cloud.cloud.disks()).isEmpty();
    }

    @Test
    void whatAnOperatorLeftIsNotTouchedAndItsIndexNotUsed() throws Exception {
        cloud.cloud.makeStanding(PREFIX, 0);
        cloud.cloud.makeStanding("k8s-agentpool2-12345678-", 0);
        cloud.settle();
        cloud.cloud.remove(PREFIX + "0");
        cloud.cloud.remove("k8s-agentpool2-12345678-0");
        readFor(Duration.ofMinutes(30));
        assertThat(cloud.cloud.disks()).hasSize(2);
        assertThat(cloud.cloud.interfaces()).hasSize(2);
        cloud.provider().grow(pool, 0, 1);
        assertThat(cloud.cloud.names()).containsOnly(PREFIX + "1");
    }

    @Test
    void anInterfaceWhoseMachineWasNeverOrderedGoesWhenThatIsCertain() throws Exception {
        cloud.arm.troubleOnce(
                request -> request.method().equals("PUT") && request.path().contains("/virtualMachines/"),
                AzureFault.INTERNAL_ERROR);
        assertThat(catchThrowableOfType(
                                ProviderException.class, () -> cloud.provider().grow(pool, 0, 1))
                        .kind())
                .isEqualTo(FailureKind.TRANSIENT);
        readFor(Duration.ofMinutes(9));
        assertThat(cloud.cloud.interfaces()).hasSize(1);
        readFor(Duration.ofMinutes(2));
        assertThat(cloud.cloud.interfaces()).isEmpty();
    }

    @Test
    void machinesThatCannotBeHadFailWithAzuresWordsAndCanGo() throws Exception {
        cloud.cloud.stock(1);
        cloud.provider().grow(pool, 0, 2);
        cloud.settle();
        cloud.restart();
        var state = read();
        assertThat(state.target()).isEqualTo(2);
        assertThat(state.failures()).extracting(Failure::kind).containsExactly(FailureKind.CAPACITY);
        assertThat(state.failures().get(0).message()).contains("AllocationFailed: Allocation failed.");
        var failed =
                state.machines().stream().filter(m -> m.state() == State.FAILED).toList();
        assertThat(failed).hasSize(1);
        cloud.provider().terminate(pool, failed);
        readFor(Duration.ofMinutes(3));
        assertThat(read().target()).isEqualTo(1);
        assertThat(cloud.cloud.disks()).hasSize(1);
        assertThat(cloud.cloud.interfaces()).hasSize(1);
    }

    @Test
    void aMachineThatFailedBeforeItHadADiskCanGoAsWell() throws Exception {
        cloud.cloud.stock(0);
        cloud.cloud.failBeforeItsDisk();
        cloud.provider().grow(pool, 0, 1);
        cloud.settle();
        cloud.provider().terminate(pool, read().machines());
        readFor(Duration.ofMinutes(3));
        assertThat(List.of(cloud.cloud.names(), cloud.cloud.interfaces(), cloud.cloud.disks()))
                .allMatch(Set::isEmpty);
    }

    @Test
    void anOrderToRemoveAMachineDoesNotMeetTheOneThatHasItsIndexNow() throws Exception {
        cloud.provider().grow(pool, 0, 1);
        cloud.settle();
        var first = read().machines();
        cloud.provider().terminate(pool, first);
        readFor(Duration.ofMinutes(3));
        cloud.provider().grow(pool, 0, 1);
        cloud.settle();
        assertThat(read().machines()).extracting(Machine::nodeName).containsExactly(PREFIX + "0");
        cloud.provider().terminate(pool, first);
        cloud.settle();
        assertThat(cloud.machines()).hasSize(1);
    }

    @Test
    void spotMachinesAreInNoAvailabilitySet() throws Exception {
        cloud.cloud.makeStanding(PREFIX, 0);
        cloud.settle();
        cloud.provider().grow(cloud.pool(), 1, 2);
        var made = cloud.cloud.machine(PREFIX + "1").path("properties");
        assertThat(made.path("priority").asText()).isEqualTo("Spot");
        assertThat(made.path("evictionPolicy").asText()).isEqualTo("Delete");
        assertThat(made.has("availabilitySet")).isFalse();
    }

    @Test
    void aHundredMachinesStayWithinWhatAzureAllows() throws Exception {
        var limits = new TokenBuckets();
        cloud.arm.enforce(limits);
        pool = cloud.pool(Objects.onDemand(1).max(100));
        read();
        cloud.provider().grow(pool, 0, 100);
        readFor(Duration.ofMinutes(5));
        assertThat(read().machines()).hasSize(100).extracting(Machine::state).containsOnly(State.RUNNING);
        cloud.provider().terminate(pool, read().machines());
        readFor(Duration.ofMinutes(5));
        assertThat(List.of(cloud.cloud.names(), cloud.cloud.interfaces(), cloud.cloud.disks()))
                .allMatch(Set::isEmpty);
        assertThat(limits.lowest())
                .allSatisfy((bucket, share) -> assertThat(share).as(bucket).isGreaterThan(0.25));
    }

    @Test
    void theRoleHasWhatIsAskedForAndNothingElse() throws Exception {
        cloud.cloud.makeStanding(PREFIX, 0);
        cloud.settle();
        cloud.cloud.stock(2);
        cloud.provider().grow(pool, 1, 3);
        cloud.settle();
        cloud.provider().terminate(pool, read().machines());
        readFor(Duration.ofMinutes(3));
        assertThat(cloud.arm.actions()).isEqualTo(Roles.actions("role-virtual-machines.json"));
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
}
