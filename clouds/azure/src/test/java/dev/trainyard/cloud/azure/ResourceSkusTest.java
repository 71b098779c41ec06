package dev.trainyard.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AzureVirtualMachines;
import dev.trainyard.core.gpu.GpuKind;
import dev.trainyard.core.gpu.GpuProduct;
import dev.trainyard.core.machine.Cloud;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.emulator.azure.AzureEmulator;
import dev.trainyard.emulator.azure.AzureFault;
import dev.trainyard.emulator.azure.SoldSize;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machine sizes as Azure describes them. */
class ResourceSkusTest {

    private static final String B300 = "Standard_NC48ads_B300_v9";
    private static final SoldSize SOLD =
            SoldSize.machine(B300, Map.of("vCPUs", "48", "MemoryGB", "440", "GPUs", "2", "PremiumIO", "True"));

    private final ScaleSetStage stage = new ScaleSetStage();

    @AfterEach
    void close() {
        stage.close();
    }

    @Test
    void aSizeIsReadWithItsGpusAndTheirKindByItsName() throws Exception {
        stage.arm.sell(new SoldSize("disks", B300, Map.of("MaxSizeGiB", "4")));
        stage.arm.sell(SOLD);

        assertThat(size("standard_nc48ads_b300_v9"))
                .contains(machine(B300, 48, 440, 2, Optional.of(GpuProduct.of("B300"))));
    }

    /** Older sizes, and sizes without GPUs. */
    @Test
    void aNameThatNamesNoAcceleratorIsNotTakenForOne() throws Exception {
        sell("Standard_NC6s_v9", "vCPUs", "6", "MemoryGB", "112", "GPUs", "1");
        sell("Standard_D8ps_v9", "vCPUs", "8", "MemoryGB", "32");
        sell("Standard_ND128isr_NDR_GB900_v9", "vCPUs", "128", "MemoryGB", "900", "GPUs", "4");

        assertThat(size("Standard_NC6s_v9")).contains(machine("Standard_NC6s_v9", 6, 112, 1, Optional.empty()));
        assertThat(size("Standard_D8ps_v9")).contains(machine("Standard_D8ps_v9", 8, 32, 0, Optional.empty()));
        assertThat(size("Standard_ND128isr_NDR_GB900_v9").orElseThrow().gpu().product())
                .contains(GpuProduct.of("GB900"));
    }

    @Test
    void theListIsReadToItsEnd() throws Exception {
        for (int i = 0; i < 7; i++) {
            sell("Standard_D%ds_v9".formatted(i + 1), "vCPUs", "4", "MemoryGB", "16");
        }
        stage.arm.sell(SOLD);
        stage.arm.pageSize(3);

        assertThat(size(B300)).isPresent();
    }

    @Test
    void ofAConstrainedSizeThoseCpusCountThatAreSwitchedOn() throws Exception {
        sell("Standard_E8-2s_v9", "vCPUs", "8", "vCPUsAvailable", "2", "MemoryGB", "64");

        assertThat(size("Standard_E8-2s_v9")).contains(machine("Standard_E8-2s_v9", 2, 64, 0, Optional.empty()));
    }

    @Test
    void acceleratorsOfOthersAreNoGpusToKubernetes() throws Exception {
        sell("Standard_ND96is_MI900X_v9", "vCPUs", "96", "MemoryGB", "1850", "GPUs", "8");
        sell("Standard_NV8as_v4", "vCPUs", "8", "MemoryGB", "28", "GPUs", "1");

        assertThat(size("Standard_ND96is_MI900X_v9"))
                .contains(machine("Standard_ND96is_MI900X_v9", 96, 1850, 0, Optional.empty()));
        assertThat(size("Standard_NV8as_v4")).contains(machine("Standard_NV8as_v4", 8, 28, 0, Optional.empty()));
    }

    @Test
    void aSizeOfWhichNotAllIsToldIsNotTakenForASmallOneAndHidesNoOther() throws Exception {
        sell("Standard_NC48ads_B200_v9", "vCPUs", "48", "GPUs", "2");
        sell("Standard_NC12ads_B200_v9", "vCPUs", "12", "MemoryGB", "110", "GPUs", "0.5");
        stage.arm.sell(SOLD);

        assertThatThrownBy(() -> size("Standard_NC48ads_B200_v9"))
                .isInstanceOf(ProviderException.class)
                .hasMessageContaining("capability MemoryGB is 'null', expected a number");
        assertThatThrownBy(() -> size("Standard_NC12ads_B200_v9"))
                .hasMessageContaining("capability GPUs is '0.5', expected a whole number");
        assertThat(size(B300)).isPresent();
    }

    @Test
    void aLocationIsListedOnceInADayForAllSizesAndPools() throws Exception {
        stage.arm.sell(SOLD);
        stage.arm.scaleSet("other");
        assertThat(size(B300)).isPresent();
        assertThat(stage.provider().size(ScaleSetStage.pool("other", "other", 4).provider(), B300))
                .isPresent();
        assertThat(size("Standard_NC48ads_B400_v9")).as("is not sold").isEmpty();
        assertThat(listed()).isEqualTo(1);

        stage.clock.move(Duration.ofDays(1));
        sell("Standard_NC48ads_B400_v9", "vCPUs", "48", "MemoryGB", "440", "GPUs", "2");
        assertThat(size("Standard_NC48ads_B400_v9")).isPresent();
        assertThat(listed()).isEqualTo(2);
    }

    @Test
    void aCallThatAzureDoesNotAnswerKeepsNobodyFromAskingForOtherSizes() throws Exception {
        try (var patient = new ScaleSetStage(Duration.ofMinutes(10))) {
            patient.arm.sell(SOLD);
            patient.arm.scaleSet("mute");
            var asked = new CountDownLatch(1);
            patient.arm.trouble(
                    request -> {
                        boolean mute = request.path().endsWith("/mute");
                        if (mute) {
                            asked.countDown();
                        }
                        return mute;
                    },
                    AzureFault.HANGS);
            var hanging = CompletableFuture.supplyAsync(() -> {
                try {
                    return patient.provider()
                            .size(ScaleSetStage.pool("mute", "mute", 4).provider(), B300);
                } catch (ProviderException e) {
                    return Optional.<MachineSize>empty();
                }
            });
            asked.await();

            assertThat(patient.provider().size(patient.pool().provider(), B300)).isPresent();
            assertThat(hanging).isNotDone();
        }
    }

    @Test
    void aRefusalNamesTheRightThatIsMissingAndTheRoleThatHasIt() {
        stage.arm.trouble(request -> request.path().endsWith("/skus"), AzureFault.FORBIDDEN);

        assertThatThrownBy(() -> size(B300)).isInstanceOfSatisfying(ProviderException.class, problem -> {
            assertThat(problem.kind()).isEqualTo(FailureKind.AUTH);
            assertThat(problem.words())
                    .contains("Microsoft.Compute/skus/read")
                    .contains("manifests/azure/role-sizes.json")
                    .contains("set spec.promise.allocatable");
        });
    }

    @Test
    void ofSingleMachinesTheLocationIsStatedOrThatOfOneThatIsThere(@TempDir Path directory) throws Exception {
        try (var machines = new VirtualMachineStage(directory)) {
            machines.arm.sell(SOLD);
            var stated = machines.pool().provider();
            assertThat(machines.provider().size(stated, B300)).isPresent();

            machines.restart();
            var silent = new ProviderSpec(
                    null,
                    new AzureVirtualMachines(
                            AzureEmulator.SUBSCRIPTION,
                            AzureEmulator.GROUP,
                            VirtualMachineStage.PREFIX,
                            machines.onlyCustomData()),
                    null,
                    null);
            assertThatThrownBy(() -> machines.provider().size(silent, B300))
                    .hasMessageContaining("template.location is missing");
            machines.cloud.makeStanding(VirtualMachineStage.PREFIX, 0);
            assertThat(machines.provider().size(silent, B300)).isPresent();
        }
    }

    @Test
    void theRoleForItAllowsWhatIsAskedBeyondTheRoleOfScaleSets() throws Exception {
        size(B300);

        var asked = new TreeSet<>(stage.arm.actions());
        asked.removeAll(Roles.actions("role-scale-sets.json"));
        assertThat(asked).isEqualTo(Roles.actions("role-sizes.json"));
    }

    private long listed() {
        return stage.arm.seen().stream()
                .filter(seen -> seen.action().equals("Microsoft.Compute/skus/read"))
                .count();
    }

    private Optional<MachineSize> size(String name) throws ProviderException {
        return stage.provider().size(stage.pool().provider(), name);
    }

    private static MachineSize machine(String name, int cpus, long gibibytes, int gpus, Optional<GpuProduct> product) {
        return new MachineSize(
                Cloud.AZURE, name, cpus, gibibytes << 30, gpus, new GpuKind(product, OptionalLong.empty()), 110);
    }

    /** @param capabilities name, value, name, value ... */
    private void sell(String name, String... capabilities) {
        var told = new HashMap<String, String>();
        for (int i = 0; i < capabilities.length; i += 2) {
            told.put(capabilities[i], capabilities[i + 1]);
        }
        stage.arm.sell(SoldSize.machine(name, told));
    }
}
