package dev.trainyard.cli.importing;

import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import java.util.List;

/**
 * What a file has.
 *
 * @param driver how containers on its GPU machines get at the driver
 */
record Imported(List<PoolDraft> pools, DriverMode driver) {

    Imported {
        pools = List.copyOf(pools);
    }
}
