package dev.trainyard.scaler.observe;

import java.time.Instant;

/**
 * The members of a gang that has pending pods.
 *
 * @param serving how many members need no machine, because they have a node or have succeeded
 * @param begun whether a member has started; see {@link GangPod#hasStarted}. Members that leave their machines do not count
 * @param oldest when the oldest member was created, pending ones included
 */
public record GangMembers(int serving, boolean begun, Instant oldest) {

    /** No members. */
    public static final GangMembers NONE = new GangMembers(0, false, Instant.MAX);

    GangMembers plus(GangPod pod, boolean isPending) {
        return new GangMembers(
                serving + (isPending ? 0 : 1),
                begun || (!isPending && pod.hasStarted()),
                pod.created().isBefore(oldest) ? pod.created() : oldest);
    }
}
