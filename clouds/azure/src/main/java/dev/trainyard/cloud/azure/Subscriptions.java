package dev.trainyard.cloud.azure;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The connections to Azure, one for each subscription, made when the first pool needs it. Thread-safe. */
final class Subscriptions {

    /** Credentials that were refused are found anew no more often: nobody's secret is locked by our asking. */
    static final Duration PAUSE = Duration.ofMinutes(1);

    private final Opener opener;
    private final Clock clock;
    private final Map<String, Arm> connections = new HashMap<>();
    /** How patient Azure is outlives connections. */
    private final Map<String, Throttle> throttles = new HashMap<>();

    private @Nullable AzureAccess access;
    private @Nullable Instant droppedAt;

    Subscriptions(Opener opener, Clock clock) {
        this.opener = opener;
        this.clock = clock;
    }

    /** Finds the credentials. Tried again at the next call when it fails: a Secret may have been mended. */
    @FunctionalInterface
    interface Opener {
        AzureAccess open() throws ArmException;
    }

    synchronized Arm connect(String subscription) throws ArmException {
        if (access == null) {
            access = opener.open();
        }
        var found = access;
        return connections.computeIfAbsent(
                subscription,
                id -> new Arm(
                        found,
                        id,
                        clock,
                        throttles.computeIfAbsent(id, named -> new Throttle(clock)),
                        this::tokenRefused));
    }

    /** The credentials are found anew: whoever rotates a secret need not restart us. */
    private synchronized void tokenRefused() {
        var now = clock.instant();
        if (Due.isDue(droppedAt, PAUSE, now)) {
            droppedAt = now;
            access = null;
            connections.clear();
        }
    }
}
