package dev.trainyard.cli.check;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A pod that was created for show ({@code dryRun=All}), so that the API server did all that it does with a pod but storing it.
 *
 * @param tier that the pod named; one that does not exist is refused by a webhook that is called; empty: it named none
 */
record Trial(String tier, Expected expected, Outcome outcome) {

    /** What a webhook that is called does with it. */
    enum Expected {
        COMPLETED,
        REFUSED,
        /** It is not asked at all. */
        LEFT_ALONE
    }

    /** Which pod it was. */
    String words() {
        return switch (expected) {
            case LEFT_ALONE -> "one that wants no GPU and names no tier";
            case COMPLETED, REFUSED ->
                tier.isEmpty() ? "one that wants a GPU and names no tier" : "one of tier " + tier;
        };
    }

    /** What the API server made of it. */
    sealed interface Outcome {}

    /** @param injected what the webhook says that it did; empty when it left no mark */
    record Created(String injected, String schedulerName) implements Outcome {}

    /** @param message in the API server's words */
    record Refused(String message) implements Outcome {

        /** Of the API server's {@code webhook.ErrCallingWebhook}, which comes out where failurePolicy is Fail. */
        private static final Pattern UNREACHED = Pattern.compile("failed calling webhook \"([^\"]+)\"");

        /** Of its {@code webhook.ToStatusErr}. */
        private static final Pattern DENIED = Pattern.compile("admission webhook \"([^\"]+)\" denied");

        /** The webhook that could not be called, and without which no pod may be created. */
        Optional<String> unreached() {
            return webhook(UNREACHED);
        }

        /** The webhook that would not have it. */
        Optional<String> denier() {
            return webhook(DENIED);
        }

        private Optional<String> webhook(Pattern pattern) {
            var matcher = pattern.matcher(message);
            return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
        }
    }

    /** @param problem why it cannot be told from this what the API server does with pods */
    record NotTried(String problem) implements Outcome {}
}
