package dev.trainyard.cli.check;

/**
 * A pod that was created for show ({@code dryRun=All}), so that the API server did all that it does with a pod but storing it.
 *
 * @param tier that the pod named; one that does not exist is refused by a webhook that is called
 * @param exists whether there is that tier
 */
record Trial(String tier, boolean exists, Outcome outcome) {

    /** What the API server made of it. */
    sealed interface Outcome {}

    /** @param injected what the webhook says that it did; empty when it left no mark */
    record Created(String injected, String schedulerName) implements Outcome {}

    /** @param message in the API server's words */
    record Refused(String message) implements Outcome {
        /** Whether it was a webhook of that name. */
        boolean isBy(String webhook) {
            return message.contains("admission webhook \"" + webhook + "\" denied");
        }
    }

    /** @param problem why it cannot be told from this what the API server does with pods */
    record NotTried(String problem) implements Outcome {}
}
