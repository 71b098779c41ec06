package dev.trainyard.emulator.azure;

import java.time.Duration;

/**
 * The durations of operations.
 *
 * @param boot the time from a request for a machine until it runs
 * @param failure the time from a request for a machine until Azure reports that the machine is out of stock
 * @param deletion the time from the request to delete a machine until the machine is gone
 */
public record AzurePace(Duration boot, Duration failure, Duration deletion) {

    /** Durations similar to Azure's own. */
    public static final AzurePace USUAL =
            new AzurePace(Duration.ofSeconds(90), Duration.ofSeconds(20), Duration.ofSeconds(60));
}
