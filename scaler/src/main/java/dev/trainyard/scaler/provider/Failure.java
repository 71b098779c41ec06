package dev.trainyard.scaler.provider;

import java.time.Instant;

/**
 * Something that a cloud accepted and then did not do.
 *
 * @param message in the cloud's own words
 * @param at when the cloud says it happened; a failure is told apart from an older one by this time
 */
public record Failure(FailureKind kind, String message, Instant at) {}
