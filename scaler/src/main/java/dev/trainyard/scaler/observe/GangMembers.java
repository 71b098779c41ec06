package dev.trainyard.scaler.observe;

import java.time.Instant;

/**
 * The members of a gang that has pending pods.
 *
 * @param serving how many members need no machine, because they have a node or have succeeded
 * @param oldest when the oldest member was created, pending ones included
 */
public record GangMembers(int serving, Instant oldest) {

    /** No members. */
    public static final GangMembers NONE = new GangMembers(0, Instant.MAX);

    GangMembers plus(boolean serves, Instant created) {
        return new GangMembers(serving + (serves ? 1 : 0), created.isBefore(oldest) ? created : oldest);
    }
}
