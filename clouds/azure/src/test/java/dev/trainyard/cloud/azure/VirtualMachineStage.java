package dev.trainyard.cloud.azure;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AzureMachineTemplate;
import dev.trainyard.core.api.ProviderSpec.AzureVirtualMachines;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.azure.AzureEmulator;
import dev.trainyard.emulator.azure.AzureFault;
import dev.trainyard.emulator.azure.AzurePace;
import dev.trainyard.emulator.azure.VirtualMachines;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.Objects.PoolBuilder;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.CloudStage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

/** The Azure emulator with an empty pool of single machines, and the real provider over TLS. */
final class VirtualMachineStage implements CloudStage {

    static final String PREFIX = "k8s-agentpool1-12345678-";

    private static final Duration A_WHILE = Duration.ofSeconds(61);

    final MovedClock clock = new MovedClock();
    final AzureEmulator arm = AzureEmulator.start(clock, AzurePace.USUAL);
    final VirtualMachines cloud = arm.virtualMachines();
    private final Path customData;
    private VirtualMachineProvider provider;
    AzureMachineTemplate template;

    VirtualMachineStage(Path directory) {
        try {
            customData = Files.writeString(directory.resolve("custom-data"), "#cloud-config\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        template = new AzureMachineTemplate(
                AzureEmulator.LOCATION,
                "Standard_NC6",
                new ProviderSpec.AzureImage("/images/gpu-node", null, null, null, null),
                "/subnets/s",
                64,
                "Premium_LRS",
                "azureuser",
                "ssh-rsa AAAA",
                null,
                "/networkSecurityGroups/nsg",
                customData.toString());
        restart();
    }

    /** Returns a template with only the custom data, which Azure does not return. */
    AzureMachineTemplate onlyCustomData() {
        return customData(customData);
    }

    AzureMachineTemplate customData(Path file) {
        return new AzureMachineTemplate(null, null, null, null, null, null, null, null, null, null, file.toString());
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.of(
                Ability.MAKES_SLOWLY, Ability.LOSES_MACHINES, Ability.IS_RESIZED, Ability.FAILS, Ability.LOSES_ANSWERS);
    }

    @Override
    public CloudProvider provider() {
        return provider;
    }

    @Override
    public Pool pool() {
        return pool(Objects.spot(1).max(20));
    }

    Pool pool(PoolBuilder like) {
        return Pool.of("agentpool1", spec(like, PREFIX));
    }

    TrainingPoolSpec spec(PoolBuilder like, String prefix) {
        return ScaleSetStage.with(
                like,
                new ProviderSpec(
                        null,
                        new AzureVirtualMachines(AzureEmulator.SUBSCRIPTION, AzureEmulator.GROUP, prefix, template),
                        null,
                        null));
    }

    @Override
    public int target() {
        return machines().size();
    }

    @Override
    public Set<String> machines() {
        arm.advance();
        return new TreeSet<>(cloud.present().values());
    }

    @Override
    public void appear() {
        clock.move(Duration.ofSeconds(1));
    }

    @Override
    public void settle() {
        clock.move(Duration.ofMinutes(5));
        arm.advance();
    }

    @Override
    public void vanish(String machine) {
        cloud.present().forEach((name, id) -> {
            if (id.equals(machine)) {
                cloud.remove(name);
            }
        });
        clock.move(A_WHILE);
    }

    /** Adds machines, as a user would by hand. Never removes any. */
    @Override
    public void resize(int target) {
        for (int index = 0; machines().size() < target; index++) {
            if (!cloud.names().contains(PREFIX + index)) {
                cloud.makeStanding(PREFIX, index);
            }
        }
        clock.move(A_WHILE);
    }

    /**
     * Ends the process at its change number {@code requests}, counted from 0: no later request arrives.
     *
     * @param carriedOut whether that change itself is carried out
     */
    void crashAt(int requests, boolean carriedOut) {
        var changes = new AtomicInteger();
        arm.trouble(
                request -> ScaleSetStage.CHANGES.test(request) && changes.getAndIncrement() == requests,
                carriedOut ? AzureFault.LOST_ANSWER : AzureFault.RESET);
        arm.trouble(request -> changes.get() > requests, AzureFault.RESET);
    }

    @Override
    public void throttle() {
        arm.trouble(ScaleSetStage.ANY, AzureFault.THROTTLED_WITH_RETRY_AFTER);
        clock.move(A_WHILE);
    }

    @Override
    public void breakDown() {
        arm.trouble(ScaleSetStage.ANY, AzureFault.RESET);
        clock.move(A_WHILE);
    }

    @Override
    public void forbid() {
        arm.trouble(ScaleSetStage.ANY, AzureFault.FORBIDDEN);
        clock.move(A_WHILE);
    }

    @Override
    public void loseAnswer() {
        arm.troubleOnce(
                request -> ScaleSetStage.CHANGES.test(request) && request.path().contains("/virtualMachines/"),
                AzureFault.LOST_ANSWER);
    }

    @Override
    public void clearFaults() {
        arm.clearFaults();
        clock.move(A_WHILE);
    }

    @Override
    public void restart() {
        restart(Duration.ofSeconds(10));
    }

    /** @param timeout the timeout of the new process for an answer */
    void restart(Duration timeout) {
        var access = ScaleSetStage.access(arm, timeout);
        provider =
                new VirtualMachineProvider(new Subscriptions(() -> access, clock), clock, true, customData.getParent());
    }

    @Override
    public void close() {
        arm.close();
    }
}
