package dev.trainyard.scaler.calls;

import dev.trainyard.scaler.provider.FailureKind;

/** The result of a request to a cloud. */
public sealed interface CallOutcome {

    /** Returns why the request was not accepted, for messages. */
    String reason();

    /** The cloud accepted the request, but may still fail it later. */
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
     * The request was not made, is not answered yet, or may have been carried out although a retry was refused. Later reads show the
     * result. Until then, other pools must not be asked for the same machines.
     *
     * @param underWay whether the request was made and may still be carried out
     * @param ordinary whether the running call takes no longer than usual, so that nothing needs to be reported
     */
    record Open(String words, boolean underWay, boolean ordinary) implements CallOutcome {

        /** Creates an outcome that is not ordinary, and is therefore reported. */
        public Open(String words, boolean underWay) {
            this(words, underWay, false);
        }

        @Override
        public String reason() {
            return words;
        }
    }
}
