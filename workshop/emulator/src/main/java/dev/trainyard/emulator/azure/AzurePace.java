package dev.trainyard.emulator.azure;

import java.time.Duration;

/**
 * How long things take that happen by themselves.
 *
 * @param boot from an order of a machine to its running
 * @param failure from an order of a machine that cannot be had to Azure's saying so
 * @param deletion from an order to delete a machine to its being gone
 */
public record AzurePace(Duration boot, Duration failure, Duration deletion) {

    /** Somewhat like Azure's own. */
    public static final AzurePace USUAL =
            new AzurePace(Duration.ofSeconds(90), Duration.ofSeconds(20), Duration.ofSeconds(60));
}
