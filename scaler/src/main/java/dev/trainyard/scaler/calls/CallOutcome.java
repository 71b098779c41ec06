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

    /** The cloud, or the connection to it, failed. */
    record Refused(FailureKind kind, String words) implements CallOutcome {
        @Override
        public String reason() {
            return kind + ": " + words;
        }
    }

    /**
     * The request was not made, is not answered yet, or may have been carried out although a retry was refused. Later reads show the result.
     * Until then, no other pool must be asked for the same machines.
     *
     * @param underWay whether the request was made and may still be carried out
     * @param ordinary whether the call takes no longer than usual, so that nothing is wrong
     */
    record Open(String words, boolean underWay, boolean ordinary) implements CallOutcome {

        /** Creates an answer that is reported. */
        public Open(String words, boolean underWay) {
            this(words, underWay, false);
        }

        @Override
        public String reason() {
            return words;
        }
    }
}
