package dev.trainyard.scaler;

import java.util.Optional;
import java.util.function.Function;

/**
 * How a scaler makes itself heard.
 *
 * @param herald who tells the users of an object
 * @param notices who tells people elsewhere
 * @param refusals what the extender said of a pod lately, by uid
 * @param dryRun whether what is told would be done, and is not
 */
record Voice(Herald herald, Notices notices, Function<String, Optional<String>> refusals, boolean dryRun) {

    /** The same, with somebody who hears what users are told, before them. */
    Voice heardBy(Herald listener) {
        return new Voice(
                (about, type, reason, action, message) -> {
                    listener.tell(about, type, reason, action, message);
                    herald.tell(about, type, reason, action, message);
                },
                notices,
                refusals,
                dryRun);
    }

    /** Of a scaler that only looks: it tells nobody but its log. */
    static Voice dry() {
        return new Voice((about, type, reason, action, message) -> {}, Notices.NONE, uid -> Optional.empty(), true);
    }
}
