package dev.trainyard.cloud.azure;

import dev.trainyard.core.api.ProviderSpec.AzureMachineTemplate;
import dev.trainyard.core.api.ProviderSpec.AzureScaleSet;
import dev.trainyard.core.api.ProviderSpec.AzureVirtualMachines;
import dev.trainyard.core.machine.MachineSize;
import dev.trainyard.scaler.provider.FailureKind;
import dev.trainyard.scaler.provider.ProviderException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The machine sizes that Azure offers in each location, requested once a day: one list has all sizes. A failure is not cached, so callers
 * must limit their retries. Needs a permission for the whole subscription. Thread-safe. Callers that ask for the same location at the same
 * time share one request. Callers that ask for another location do not wait for this request.
 */
final class SkuLists {

    /** How long a list is kept. A size that is not offered today may be offered tomorrow. */
    static final Duration KEPT = Duration.ofDays(1);

    private final Subscriptions subscriptions;
    private final InstantSource clock;
    private final Map<Place, Listing> listings = new ConcurrentHashMap<>();

    private record Place(String subscription, String location) {}

    /** A list of a location. Its future is incomplete while the request runs. */
    private record Listing(CompletableFuture<ResourceSkus> skus, Instant at) {
        boolean serves(Instant now) {
            return now.isBefore(at.plus(KEPT)) && !skus.isCompletedExceptionally();
        }
    }

    SkuLists(Subscriptions subscriptions, InstantSource clock) {
        this.subscriptions = subscriptions;
        this.clock = clock;
    }

    /** Returns the size of that name, in upper or lower case; empty if the scale set's location has no such size. */
    Optional<MachineSize> find(AzureScaleSet named, String name) throws ProviderException {
        return find(named.subscriptionId(), name, arm -> location(arm, named));
    }

    /** Returns the size of that name, in upper or lower case; empty if the machines' location has no such size. */
    Optional<MachineSize> find(AzureVirtualMachines named, String name) throws ProviderException {
        return find(named.subscriptionId(), name, arm -> location(arm, named));
    }

    @FunctionalInterface
    private interface Finder {
        String location(Arm arm) throws ArmException, ProviderException;
    }

    private Optional<MachineSize> find(String subscription, String name, Finder finder) throws ProviderException {
        ResourceSkus skus;
        try {
            var arm = subscriptions.connect(subscription);
            skus = skus(arm, new Place(subscription, normal(finder.location(arm))));
        } catch (ArmException e) {
            throw e.forSizes();
        }
        var fault = skus.faults().get(name);
        if (fault != null) {
            throw new ProviderException(FailureKind.TRANSIENT, "resource SKU %s: %s".formatted(name, fault));
        }
        return Optional.ofNullable(skus.sizes().get(name));
    }

    private ResourceSkus skus(Arm arm, Place place) throws ArmException {
        var now = clock.instant();
        var mine = new Listing(new CompletableFuture<>(), now);
        var listing = listings.compute(place, (any, known) -> known != null && known.serves(now) ? known : mine);
        if (listing.equals(mine)) {
            list(arm, place, mine.skus());
        }
        try {
            return listing.skus().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof ArmException refused) {
                throw refused;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private static void list(Arm arm, Place place, CompletableFuture<ResourceSkus> answer) {
        try {
            var listed = arm.list(
                    "SKUS " + place.location(),
                    () -> arm.compute()
                            .getResourceSkus()
                            .listAsync("location eq '%s'".formatted(place.location()), "false"));
            answer.complete(ResourceSkus.of(listed.items()));
        } catch (ArmException | RuntimeException | Error e) {
            answer.completeExceptionally(e);
        }
    }

    private static String location(Arm arm, AzureScaleSet named) throws ArmException {
        var id = AzureId.scaleSet(named.subscriptionId(), named.resourceGroup(), named.name());
        return arm.get(
                        "GET " + id,
                        () -> arm.compute()
                                .getVirtualMachineScaleSets()
                                .getByResourceGroupWithResponseAsync(named.resourceGroup(), named.name(), null))
                .location();
    }

    private static String location(Arm arm, AzureVirtualMachines named) throws ArmException, ProviderException {
        var stated = Optional.ofNullable(named.template()).map(AzureMachineTemplate::location);
        if (stated.isPresent()) {
            return stated.get();
        }
        var vms = new MachineRequests(arm, named.subscriptionId(), named.resourceGroup()).machines();
        return Fleet.of(named.namePrefix(), vms, List.of(), List.of()).vms().stream()
                .findFirst()
                .orElseThrow(() -> new ProviderException(
                        FailureKind.INVALID_CONFIGURATION,
                        "spec.provider.azureVirtualMachines.template.location is missing, and no machine %s* exists to copy it from; set the field"
                                .formatted(named.namePrefix())))
                .location();
    }

    /** Returns a location as Azure writes it in addresses: {@code westeurope} for West Europe. */
    private static String normal(String location) {
        return location.replace(" ", "").toLowerCase(Locale.ROOT);
    }
}
