package dev.trainyard.scaler.provider;

import java.time.Instant;

/**
 * A request that a cloud accepted and then did not fill.
 *
 * @param message the cloud's own message, cut if too long
 * @param at when the request failed, by the cloud's clock; this time distinguishes the failure from older failures
 */
public record Failure(FailureKind kind, String message, Instant at) {

    /**
     * The limit of a message in characters. The limit is below the limit of an Event's note, and above the length of every error that
     * clouds document.
     */
    private static final int MOST = 1000;

    public Failure {
        message = beginning(message);
    }

    /** Returns the text, cut to the limit. */
    static String beginning(String words) {
        return words.codePointCount(0, words.length()) <= MOST
                ? words
                : words.substring(0, words.offsetByCodePoints(0, MOST)) + "...";
    }
}
