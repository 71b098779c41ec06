package dev.trainyard.bench.webhook;

import org.jspecify.annotations.Nullable;

/**
 * One start of the webhook.
 *
 * @param readyMillis from the start of the process to its line that says ready
 * @param residentBytes memory it holds then (resident set); null where the system does not tell
 * @param handshakeMillis from the first packet to an open TLS connection, the first that it gets
 * @param firstAnswerMillis from the first request on it to its answer, a patch
 */
public record Start(
        double readyMillis, @Nullable Long residentBytes, double handshakeMillis, double firstAnswerMillis) {}
