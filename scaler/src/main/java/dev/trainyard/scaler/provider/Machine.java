package dev.trainyard.scaler.provider;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A machine as its cloud reports it.
 *
 * @param id the identifier for {@link CloudProvider#terminate}; unique in the machine's pool
 * @param providerId the present or future {@code spec.providerID} of the machine's node
 * @param nodeName the name of the machine's node; null if the cloud does not know the name
 * @param since when the machine was created. Clouds do not report when a machine entered its current state
 */
public record Machine(
        String id, String providerId, @Nullable String nodeName, State state, Instant since) {

    /** The state of a machine in its cloud. */
    public enum State {
        /** Accepted and being created. */
        CREATING,
        RUNNING,
        /** Being deleted; no longer part of the pool's target. */
        DELETING,
        /** Like {@link #DELETING}, but the cloud does not go on until {@link CloudProvider#terminate} is called for the machine. */
        HELD,
        /** Failed to start, or broke. Still part of the target until terminated. */
        FAILED
    }

    /** Whether this is the machine of a node with this {@code spec.providerID} and name. */
    public boolean isOf(@Nullable String nodeProviderId, String name) {
        // Azure writes the same resource id in different cases in different places.
        return providerId.equalsIgnoreCase(nodeProviderId) || name.equals(nodeName);
    }

    public boolean isHeld() {
        return state == State.HELD;
    }

    /** Whether the pool's target includes the machine. */
    public boolean counts() {
        return state != State.DELETING && state != State.HELD;
    }
}
