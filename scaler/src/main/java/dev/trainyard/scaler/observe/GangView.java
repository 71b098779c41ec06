package dev.trainyard.scaler.observe;

import dev.trainyard.core.gang.Gang;
import dev.trainyard.core.gang.GangClaim;
import java.util.Optional;

/**
 * A pod's gang in a round.
 *
 * @param key the identity of the gang; equal for all of its pods
 * @param name the gang's name in messages
 * @param size how many of its pods must run at the same time; 0 if unknown
 * @param source how the gang is known; empty if it is not
 * @param isStated see {@link Gang#isStated}
 * @param problem why no machines are requested for the gang now: it is invalid, or has not been read yet. Empty if they may be
 * @param isUnread whether the object that describes the gang has not been read yet
 */
public record GangView(
        String key,
        String name,
        int size,
        String source,
        boolean isStated,
        Optional<String> problem,
        boolean isUnread) {

    static GangView of(Gang gang) {
        return new GangView(
                gang.key(), gang.name(), gang.size(), gang.source(), gang.isStated(), Optional.empty(), false);
    }

    static GangView invalid(GangClaim claim, String problem) {
        return new GangView(claim.group(), claim.name(), 0, "", false, Optional.of(problem), false);
    }

    /** @param why why the object that describes the gang has not been read */
    static GangView unread(GangClaim claim, String why) {
        return new GangView(claim.group(), claim.name(), 0, "", false, Optional.of(why), true);
    }

    GangView withKey(String other) {
        return new GangView(other, name, size, source, isStated, problem, isUnread);
    }
}
