package dev.trainyard.emulator.azure;

import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/** The API of resource SKUs of one location. Not thread-safe: callers hold the emulator's lock. */
final class SoldSizes implements ArmResources {

    private static final String ALL =
            "/subscriptions/%s/providers/Microsoft.Compute/skus".formatted(AzureEmulator.SUBSCRIPTION);

    private final Supplier<URI> url;
    private final List<SoldSize> sold = new ArrayList<>();
    private int pageSize = 50;

    SoldSizes(Supplier<URI> url) {
        this.url = url;
    }

    void sell(SoldSize size) {
        sold.add(size);
    }

    void pageSize(int entries) {
        pageSize = entries;
    }

    /**
     * Answers requests for the list of SKUs. Azure supports only a filter by location. Without a filter, Azure lists the SKUs of all
     * locations.
     */
    @Override
    public Optional<ArmAnswer> answer(ArmRequest request) {
        if (!request.lowerPath().equals(ALL.toLowerCase(Locale.ROOT))
                || !request.method().equals("GET")) {
            return Optional.empty();
        }
        var filter = request.query().getOrDefault("$filter", "");
        boolean here = filter.isEmpty() || filter.equals("location eq '%s'".formatted(AzureEmulator.LOCATION));
        return Optional.of(Page.of(
                here ? sold : List.<SoldSize>of(),
                size -> size.describe(AzureEmulator.LOCATION),
                request,
                pageSize,
                "%s%s?$filter=%s".formatted(url.get(), ALL, filter.replace(" ", "%20"))));
    }

    @Override
    public void advance(Instant now) {
        // The list does not change with time.
    }
}
