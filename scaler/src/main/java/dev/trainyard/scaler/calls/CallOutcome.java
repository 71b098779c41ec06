package dev.trainyard.scaler.calls;

import dev.trainyard.scaler.provider.FailureKind;

/** The result of a request to a cloud. */
public sealed interface CallOutcome {

    /** Returns the text for messages: why the request was not accepted, or {@code accepted}. */
    String reason();

    /** The cloud accepted the request. The request may still fail later. */
    record Accepted() implements CallOutcome {
        @Override
        public String reason() {
            return "accepted";
        }
    }

    /** The request failed in the cloud, or on the connection to the cloud. */
    record Refused(FailureKind kind, String words) implements CallOutcome {
        @Override
        public String reason() {
            return kind + ": " + words;
        }
    }

    /**
     * The result of the request is open. The request was not made, is not answered yet, or was throttled or refused as a conflict. A
     * request without an answer may have been carried out, even if its retry was refused. Later reads show the result. Until then, the
     * same machines must not be requested from another pool.
     *
     * @param underWay whether the cloud may have carried out the request, or may still do so
     * @param ordinary whether the result is open only because a call is running that takes no longer than usual. Then nothing needs to be
     *     reported
     */
    record Open(String words, boolean underWay, boolean ordinary) implements CallOutcome {

        /** Creates an outcome that is not ordinary, and that is therefore reported. */
        public Open(String words, boolean underWay) {
            this(words, underWay, false);
        }

        @Override
        public String reason() {
            return words;
        }
    }
}
