package dev.trainyard.emulator.azure;

import java.time.Instant;
import java.util.Optional;

/** The API of one kind of Azure resource. Not thread-safe: callers hold the emulator's lock, or are the only users of the emulator. */
interface ArmResources {

    /** Returns the answer to a request; empty if the request is about other resources. */
    Optional<ArmAnswer> answer(ArmRequest request);

    /** Runs all actions that are due by {@code now}. */
    void advance(Instant now);
}
