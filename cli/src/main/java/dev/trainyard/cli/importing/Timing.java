package dev.trainyard.cli.importing;

import java.util.Optional;

/** What an autoscaler was told about all of its groups, or about one, in the words of a pool. */
record Timing(
        Optional<String> provisionTimeout,
        Optional<String> idleAfter,
        Optional<String> utilizationBelow,
        Optional<String> gpuUtilizationBelow) {

    static final Timing NONE = new Timing(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
}
