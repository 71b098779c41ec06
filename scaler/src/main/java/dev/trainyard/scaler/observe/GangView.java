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
 * @param problem why the gang is invalid or cannot be read; empty if neither is known
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

    /** @param failure why the object that describes the gang could not be read; empty if it has not been tried yet */
    static GangView unread(GangClaim claim, Optional<String> failure) {
        return new GangView(claim.group(), claim.name(), 0, "", false, failure, true);
    }

    /** Whether the gang is valid and its size is known. */
    public boolean isKnown() {
        return problem.isEmpty() && !isUnread;
    }

    GangView withKey(String other) {
        return new GangView(other, name, size, source, isStated, problem, isUnread);
    }
}
