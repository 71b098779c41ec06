package dev.trainyard.scaler.azure;

import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The connections to Azure, one for each subscription, made when the first pool needs it. Thread-safe. */
final class Subscriptions {

    private final Opener opener;
    private final Clock clock;
    private final Map<String, Arm> connections = new HashMap<>();
    private @Nullable AzureAccess access;

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
        return connections.computeIfAbsent(subscription, id -> new Arm(found, id, clock));
    }
}
