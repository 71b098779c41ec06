package dev.trainyard.cli.importing;

import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import java.util.List;

/**
 * The contents of an imported file.
 *
 * @param driver how containers on GPU machines get the driver
 */
record Imported(List<PoolDraft> pools, DriverMode driver) {

    Imported {
        pools = List.copyOf(pools);
    }
}
