package dev.trainyard.cloud.azure;

import dev.trainyard.scaler.provider.CallLimits;
import dev.trainyard.scaler.provider.CloudModule;
import dev.trainyard.scaler.provider.CloudProvider;
import dev.trainyard.scaler.provider.LazyProvider;
import java.time.Clock;
import java.util.Map;

/**
 * The module for Azure: scale sets, and single virtual machines. Both kinds of pools share the connections, and the rate limits that Azure
 * reports.
 */
public final class AzureModule implements CloudModule {

    /**
     * The limits of reads and changes of pools. One read may make up to three requests that Azure calls costly. Azure allows a subscription
     * 6 costly requests and 8 changes a second.
     */
    static final CallLimits LIMITS = new CallLimits(4, 100, 4, 50);

    @Override
    public Map<String, CloudProvider> open(Map<String, String> environment, boolean readOnly, Clock clock) {
        var subscriptions = new Subscriptions(() -> AzureConnector.open(environment), clock);
        return Map.of(
                "azureScaleSet",
                new LazyProvider(LIMITS, () -> new ScaleSetProvider(subscriptions, clock)),
                "azureVirtualMachines",
                new LazyProvider(
                        LIMITS,
                        () -> new VirtualMachineProvider(
                                subscriptions, clock, !readOnly, AzureSettings.customData(environment))));
    }
}
