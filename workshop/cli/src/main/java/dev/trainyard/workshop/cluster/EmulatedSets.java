package dev.trainyard.workshop.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.pool.Pool;
import dev.trainyard.emulator.azure.AzureEmulator;
import dev.trainyard.emulator.azure.AzurePace;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/** An emulated Azure with short delays, and its scale sets: uniform sets of spot machines, and flexible sets of on-demand machines. */
final class EmulatedSets implements CloudGroups {

    private static final AzurePace PACE =
            new AzurePace(Duration.ofSeconds(1), Duration.ofMillis(500), Duration.ofSeconds(1));

    private final AzureEmulator azure = AzureEmulator.start(Clock.systemUTC(), PACE);

    @Override
    public AzureEmulator emulator() {
        return azure;
    }

    @Override
    public String make(Pool pool) {
        var set = azure.scaleSet("k8s-%s-vmss".formatted(pool.name()));
        return (pool.isSpot() ? set : set.regular().orchestration("Flexible")).name();
    }

    @Override
    public void describe(String group, ObjectNode provider) {
        provider.putObject("azureScaleSet")
                .put("subscriptionId", AzureEmulator.SUBSCRIPTION)
                .put("resourceGroup", AzureEmulator.GROUP)
                .put("name", group);
    }

    @Override
    public Optional<String> settings() {
        return Optional.empty();
    }

    /** On AKS, the node problem detector reports the scheduled event of a machine as a condition of the node. */
    @Override
    public Optional<String> announceReclaim(String node) {
        return Optional.empty();
    }
}
