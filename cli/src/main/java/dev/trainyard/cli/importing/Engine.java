package dev.trainyard.cli.importing;

import dev.trainyard.core.api.TrainingTierSpec.DriverMode;

/** The two tools that create clusters on Azure from the same kind of definition. */
enum Engine {
    /** The engine whose pools are availability sets by default, and whose GPU machines have the driver in a directory. */
    ACS_ENGINE("AvailabilitySet", DriverMode.HOST_PATH),
    /** The engine whose pools are scale sets by default, and whose GPU machines have a device plugin. */
    AKS_ENGINE("VirtualMachineScaleSets", DriverMode.NONE);

    private final String availability;
    private final DriverMode driver;

    Engine(String availability, DriverMode driver) {
        this.availability = availability;
        this.driver = driver;
    }

    /** Returns the default {@code availabilityProfile}. */
    String availability() {
        return availability;
    }

    DriverMode driver() {
        return driver;
    }
}
