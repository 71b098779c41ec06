package dev.trainyard.core.tier;

import dev.trainyard.core.api.TrainingTierSpec.DriverMode;
import java.util.List;

/**
 * How containers that ask for a GPU get at its driver.
 *
 * @param root where the driver is on the node; used by mode {@code hostPath}
 * @param extraLibraries further files of the node, mounted at the same path; used by mode {@code hostPath}
 */
public record Driver(DriverMode mode, String root, List<String> extraLibraries) {

    /** Where the driver was on the machines that acs-engine made. */
    public static final String DEFAULT_ROOT = "/usr/lib/nvidia-384";

    public static final Driver NONE = new Driver(DriverMode.NONE, DEFAULT_ROOT, List.of());

    public Driver {
        extraLibraries = List.copyOf(extraLibraries);
    }
}
