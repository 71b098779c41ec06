package dev.trainyard.cli.importing;

import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import java.util.List;

/**
 * The pools that an import found, before they are checked.
 *
 * @param driver how containers on GPU machines get the driver
 */
record Imported(List<PoolDraft> pools, DriverMode driver) {

    Imported {
        pools = List.copyOf(pools);
    }
}
