package dev.trainyard.scaler.provider;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A machine as its cloud tells of it.
 *
 * @param id what {@link CloudProvider#terminate} names it by; unique in its pool
 * @param providerId what the {@code spec.providerID} of its node is, or will be
 * @param nodeName the name of its node where the cloud knows it; null otherwise
 * @param since when it was made (clouds do not tell when a state began)
 */
public record Machine(
        String id, String providerId, @Nullable String nodeName, State state, Instant since) {

    /** What a cloud says of a machine. */
    public enum State {
        /** Accepted and being made. */
        CREATING,
        RUNNING,
        /** On its way out; no longer part of the pool's target. */
        DELETING,
        /** Could not be made, or broke. Still part of the target until terminated. */
        FAILED
    }

    /** Whether it is one of the machines that the pool's target counts. */
    public boolean counts() {
        return state != State.DELETING;
    }
}
