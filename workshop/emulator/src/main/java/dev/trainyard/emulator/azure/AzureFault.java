package dev.trainyard.emulator.azure;

/** What goes wrong with a request instead of its being carried out, or after that. */
public enum AzureFault {
    /** The connection ends without an answer; nothing is done. */
    RESET,
    /** It is carried out, and the connection ends without an answer. */
    LOST_ANSWER,
    /** Half of the body, though all of it was announced. */
    CUT_SHORT,
    /** Half of the body, as if it were all. */
    HALF_JSON,
    /** No answer before the emulator is closed. */
    HANGS,
    THROTTLED_WITH_RETRY_AFTER,
    THROTTLED,
    /** All requests of the subscription are too many. */
    SUBSCRIPTION_THROTTLED,
    INTERNAL_ERROR,
    FORBIDDEN,
    TOKEN_EXPIRED;

    /** Whether what was asked for is done all the same. */
    boolean isCarriedOut() {
        return this == LOST_ANSWER || this == CUT_SHORT || this == HALF_JSON;
    }

    boolean cutsBody() {
        return this == CUT_SHORT || this == HALF_JSON;
    }
}
