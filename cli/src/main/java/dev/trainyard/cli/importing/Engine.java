package dev.trainyard.cli.importing;

import dev.trainyard.core.api.TrainingTierSpec.DriverMode;

/** The two tools that make clusters on Azure from one kind of definition. */
enum Engine {
    /** Its pools are availability sets unless they say otherwise, and its machines have the driver in a directory. */
    ACS_ENGINE("AvailabilitySet", DriverMode.HOST_PATH),
    /** Its pools are scale sets unless they say otherwise, and it installs a device plugin on GPU machines. */
    AKS_ENGINE("VirtualMachineScaleSets", DriverMode.NONE);

    private final String availability;
    private final DriverMode driver;

    Engine(String availability, DriverMode driver) {
        this.availability = availability;
        this.driver = driver;
    }

    /** The {@code availabilityProfile} of a pool that has none. */
    String availability() {
        return availability;
    }

    DriverMode driver() {
        return driver;
    }
}
