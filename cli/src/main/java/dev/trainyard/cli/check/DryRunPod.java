package dev.trainyard.cli.check;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A trial pod, created with {@code dryRun=All}: the API server processed the pod as usual, but did not store it.
 *
 * @param tier the tier that the pod names, or an unknown tier that the webhook must refuse; empty if the pod names none
 */
record DryRunPod(String tier, Expected expected, Outcome outcome) {

    /** The reaction that is expected of the webhook. */
    enum Expected {
        COMPLETED,
        REFUSED,
        /** The webhook is not called. */
        LEFT_ALONE
    }

    /** Returns a description of the pod. */
    String words() {
        return switch (expected) {
            case LEFT_ALONE -> "a pod that requests no GPU and names no tier";
            case COMPLETED, REFUSED ->
                tier.isEmpty() ? "a pod that requests a GPU and names no tier" : "a pod of tier " + tier;
        };
    }

    /** The reaction of the API server. */
    sealed interface Outcome {}

    /** @param injected the webhook's annotation about its changes; empty if there is none */
    record Created(String injected) implements Outcome {}

    /** @param message the API server's message */
    record Refused(String message) implements Outcome {

        /**
         * The message of the API server's {@code webhook.ErrCallingWebhook}. The API server returns this error if failurePolicy is Fail.
         */
        private static final Pattern UNREACHED = Pattern.compile("failed calling webhook \"([^\"]+)\"");

        /** The message of the API server's {@code webhook.ToStatusErr}. */
        private static final Pattern DENIED = Pattern.compile("admission webhook \"([^\"]+)\" denied");

        /** Returns the required webhook that could not be called; empty if there is none. */
        Optional<String> unreached() {
            return webhook(UNREACHED);
        }

        /** Returns the webhook that denied the pod; empty if there is none. */
        Optional<String> denier() {
            return webhook(DENIED);
        }

        private Optional<String> webhook(Pattern pattern) {
            var matcher = pattern.matcher(message);
            return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
        }
    }

    /** @param problem why the trial does not show how the API server treats pods */
    record NotTried(String problem) implements Outcome {}
}
