package dev.trainyard.scaler.provider;

import java.time.Instant;

/**
 * Something that a cloud accepted and then did not do.
 *
 * @param message in the cloud's own words, or what they begin with
 * @param at when the cloud says it happened; a failure is told apart from an older one by this time
 */
public record Failure(FailureKind kind, String message, Instant at) {

    /** Characters: less than an Event's note holds, more than any error that a cloud documents. */
    private static final int MOST = 1000;

    public Failure {
        message = beginning(message);
    }

    /** What is kept of words that may be of any length. */
    static String beginning(String words) {
        return words.codePointCount(0, words.length()) <= MOST
                ? words
                : words.substring(0, words.offsetByCodePoints(0, MOST)) + "...";
    }
}
