package dev.trainyard.scaler.observe;

/**
 * An object that is malformed. It is left out and reported; all others go their way.
 *
 * @param kind {@code Pod} or {@code Node}
 * @param namespace empty for a node
 * @param message what is wrong with it
 */
public record Unreadable(String kind, String namespace, String name, String message) {}
