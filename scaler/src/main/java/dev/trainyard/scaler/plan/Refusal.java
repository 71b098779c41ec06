package dev.trainyard.scaler.plan;

/**
 * The reason why no machine, or not every needed machine, of a pool is requested for a pod.
 *
 * @param message a whole sentence
 * @param brief a few words for a column of {@code kubectl get}
 */
public record Refusal(String pool, Outcome.Reason reason, String message, String brief) {}
