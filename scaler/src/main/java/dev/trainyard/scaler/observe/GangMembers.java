package dev.trainyard.scaler.observe;

import java.time.Instant;

/**
 * The members of a gang that has pending pods.
 *
 * @param serving how many members need no machine, because they have a node or have succeeded
 * @param begun whether a member may be placed already, and stays: it has no scheduling gate of Trainyard, has not succeeded, and does not
 *     leave its machine
 * @param oldest when the oldest member was created, pending ones included
 */
public record GangMembers(int serving, boolean begun, Instant oldest) {

    /** No members. */
    public static final GangMembers NONE = new GangMembers(0, false, Instant.MAX);

    GangMembers plus(boolean serves, boolean mayBePlaced, Instant created) {
        return new GangMembers(
                serving + (serves ? 1 : 0), begun || mayBePlaced, created.isBefore(oldest) ? created : oldest);
    }
}
