package dev.trainyard.cli.importing;

import java.util.Optional;

/** The timeouts and thresholds of an autoscaler, for all groups or for one, in the form of a pool's settings. */
record Timing(
        Optional<String> provisionTimeout,
        Optional<String> idleAfter,
        Optional<String> utilizationBelow,
        Optional<String> gpuUtilizationBelow) {

    static final Timing NONE = new Timing(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
}
