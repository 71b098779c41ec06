package dev.trainyard.scaler.azure;

import dev.trainyard.core.api.ProviderSpec;
import dev.trainyard.core.api.ProviderSpec.AzureMachineTemplate;
import dev.trainyard.core.api.ProviderSpec.AzureVirtualMachines;
import dev.trainyard.core.api.TrainingPoolSpec;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.scaler.MovedClock;
import dev.trainyard.scaler.Objects;
import dev.trainyard.scaler.Objects.PoolBuilder;
import dev.trainyard.scaler.azure.FakeArm.Fault;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.CloudStage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

/** The fake with a pool of single machines that has none yet, and the real provider over TLS. */
final class VirtualMachineStage implements CloudStage {

    static final String PREFIX = "k8s-agentpool1-12345678-";

    private static final Duration A_WHILE = Duration.ofSeconds(61);

    final MovedClock clock = new MovedClock();
    final FakeArm arm = new FakeArm(clock);
    final FakeVirtualMachines cloud = new FakeVirtualMachines(arm);
    private final Path customData;
    private VirtualMachineProvider provider;
    AzureMachineTemplate template;

    VirtualMachineStage(Path directory) {
        arm.with(cloud);
        try {
            customData = Files.writeString(directory.resolve("custom-data"), "#cloud-config\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        template = new AzureMachineTemplate(
                FakeArm.LOCATION,
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

    /** Says no more than what Azure does not tell. */
    AzureMachineTemplate onlyCustomData() {
        return new AzureMachineTemplate(
                null, null, null, null, null, null, null, null, null, null, customData.toString());
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
                        new AzureVirtualMachines(FakeArm.SUBSCRIPTION, FakeArm.GROUP, prefix, template),
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
        var ids = new TreeSet<String>();
        cloud.vms.values().stream()
                .filter(vm -> !FakeVirtualMachines.state(vm).equals("Deleting"))
                .forEach(vm -> ids.add(vm.path("properties").path("vmId").asText()));
        return ids;
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
        cloud.vms.entrySet().stream()
                .filter(vm ->
                        vm.getValue().path("properties").path("vmId").asText().equals(machine))
                .map(Map.Entry::getKey)
                .toList()
                .forEach(cloud::gone);
        clock.move(A_WHILE);
    }

    /** Somebody makes machines by hand; nobody is so rude as to remove some. */
    @Override
    public void resize(int target) {
        for (int index = 0; machines().size() < target; index++) {
            if (!cloud.vms.containsKey(PREFIX + index)) {
                cloud.standing(PREFIX, index);
            }
        }
        clock.move(A_WHILE);
    }

    /**
     * The process ends with its change number {@code requests}, counted from 0: nothing that it sends after that arrives.
     *
     * @param carriedOut whether that change itself is made
     */
    void crashAt(int requests, boolean carriedOut) {
        var changes = new AtomicInteger();
        arm.trouble(
                request -> ScaleSetStage.CHANGES.test(request) && changes.getAndIncrement() == requests,
                carriedOut ? Fault.LOST_ANSWER : Fault.RESET);
        arm.trouble(request -> changes.get() > requests, Fault.RESET);
    }

    @Override
    public void throttle() {
        arm.trouble(ScaleSetStage.ANY, Fault.THROTTLED_WITH_RETRY_AFTER);
        clock.move(A_WHILE);
    }

    @Override
    public void breakDown() {
        arm.trouble(ScaleSetStage.ANY, Fault.RESET);
        clock.move(A_WHILE);
    }

    @Override
    public void forbid() {
        arm.trouble(ScaleSetStage.ANY, Fault.FORBIDDEN);
        clock.move(A_WHILE);
    }

    @Override
    public void loseAnswer() {
        arm.troubleOnce(
                request -> ScaleSetStage.CHANGES.test(request) && request.path().contains("/virtualMachines/"),
                Fault.LOST_ANSWER);
    }

    @Override
    public void mend() {
        arm.mend();
        clock.move(A_WHILE);
    }

    @Override
    public void restart() {
        var access = ScaleSetStage.access(arm, Duration.ofSeconds(10));
        provider = new VirtualMachineProvider(new Subscriptions(() -> access, clock), clock, true);
    }

    @Override
    public void close() {
        arm.close();
    }
}
