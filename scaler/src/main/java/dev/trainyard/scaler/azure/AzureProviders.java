package dev.trainyard.scaler.azure;

import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.LazyProvider;
import java.time.Clock;
import java.util.Map;

/**
 * Azure's kinds of pools. They share connections, and with them what is known of Azure's patience. Nothing of Azure's SDK is loaded before
 * the first call that is about a pool.
 */
public final class AzureProviders {

    /** For a subscription, Azure refills 6 costly reads a second and 8 changes; a read here may take three. */
    static final CallLimits LIMITS = new CallLimits(4, 100, 4, 50);

    private final Map<String, String> environment;
    private final Subscriptions subscriptions;
    private final Clock clock;

    private final boolean tidies;

    private AzureProviders(Map<String, String> environment, Clock clock, boolean tidies) {
        this.environment = environment;
        this.subscriptions = new Subscriptions(() -> AzureConnector.open(environment), clock);
        this.clock = clock;
        this.tidies = tidies;
    }

    /**
     * Nothing is read or asked for yet: what is wrong with the credentials is said of each pool that needs them.
     *
     * @param environment whom to act as, and where: see docs/azure.md
     */
    public static AzureProviders of(Map<String, String> environment, Clock clock) {
        return new AzureProviders(environment, clock, true);
    }

    /** Whose reading changes nothing: what removed machines left behind stays. */
    public static AzureProviders looking(Map<String, String> environment, Clock clock) {
        return new AzureProviders(environment, clock, false);
    }

    public CloudProvider scaleSets() {
        return new LazyProvider(LIMITS, () -> new ScaleSetProvider(subscriptions, clock));
    }

    public CloudProvider virtualMachines() {
        return new LazyProvider(
                LIMITS,
                () -> new VirtualMachineProvider(subscriptions, clock, tidies, AzureSettings.customData(environment)));
    }
}
