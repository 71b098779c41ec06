package dev.trainyard.emulator.azure;

/** A fault of a request. Some faults replace the execution of the request. Other faults affect only the answer. */
public enum AzureFault {
    /** The connection ends without an answer, and the request is not executed. */
    RESET,
    /** The request is executed, and the connection ends without an answer. */
    LOST_ANSWER,
    /** The answer contains half of the body, but announces the length of the whole body. */
    CUT_SHORT,
    /** The answer contains half of the body, and announces the length of that half. */
    HALF_JSON,
    /** The request is not executed, gets no answer, and its connection stays open until the emulator is closed. */
    HANGS,
    THROTTLED_WITH_RETRY_AFTER,
    THROTTLED,
    /** The whole subscription is throttled. */
    SUBSCRIPTION_THROTTLED,
    INTERNAL_ERROR,
    FORBIDDEN,
    TOKEN_EXPIRED;

    /** Whether the request is executed in spite of the fault. */
    boolean isCarriedOut() {
        return this == LOST_ANSWER || this == CUT_SHORT || this == HALF_JSON;
    }

    boolean cutsBody() {
        return this == CUT_SHORT || this == HALF_JSON;
    }
}
