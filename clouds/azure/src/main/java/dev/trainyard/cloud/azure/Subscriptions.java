package dev.trainyard.cloud.azure;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The connections to Azure, one for each subscription, made when the first pool needs it. Thread-safe. */
final class Subscriptions {

    /** The minimum interval of reloading refused credentials, so that our requests do not lock an account. */
    static final Duration PAUSE = Duration.ofMinutes(1);

    private final Opener opener;
    private final Clock clock;
    private final Map<String, Arm> connections = new HashMap<>();
    /** The throttles by subscription, which are kept when connections are discarded. */
    private final Map<String, Throttle> throttles = new HashMap<>();

    private @Nullable AzureAccess access;
    private @Nullable Instant droppedAt;

    Subscriptions(Opener opener, Clock clock) {
        this.opener = opener;
        this.clock = clock;
    }

    /** A loader of the credentials. A failure is retried at the next call, since a Secret may have been fixed. */
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

    /** Discards the connections, so that credentials are loaded again. A rotated secret needs no restart. */
    private synchronized void tokenRefused() {
        var now = clock.instant();
        if (Due.isDue(droppedAt, PAUSE, now)) {
            droppedAt = now;
            access = null;
            connections.clear();
        }
    }
}
