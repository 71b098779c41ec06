package dev.trainyard.emulator.azure;

import java.time.Instant;
import java.util.Optional;

/** One kind of resource. Not thread-safe: for whoever holds the emulator's lock, or has the emulator to itself. */
interface Resources {

    /** Returns the answer to a request; empty for a request that is about something else. */
    Optional<ArmAnswer> answer(ArmRequest request);

    /** Does what is due by then. */
    void advance(Instant now);
}
