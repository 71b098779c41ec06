package dev.trainyard.bench.webhook;

import org.jspecify.annotations.Nullable;

/**
 * Measurements of one start of the webhook or of the Go peer.
 *
 * @param readyMillis time from the start of the process to the line that reports readiness
 * @param residentBytes resident set size when the server reports ready; null if the system does not provide it
 * @param handshakeMillis time from the first packet to an open TLS connection, for the first connection of the process
 * @param firstAnswerMillis time from the first request on that connection to its answer, a patch
 */
public record Start(
        double readyMillis, @Nullable Long residentBytes, double handshakeMillis, double firstAnswerMillis) {}
