package dev.trainyard.scaler.calls;

import dev.trainyard.scaler.provider.FailureKind;

/** What came of an order to a cloud. */
public sealed interface Answer {

    /** The cloud took it. It may still fail it later. */
    record Accepted() implements Answer {}

    /** The cloud, or the way to it, failed. */
    record Refused(FailureKind kind, String words) implements Answer {}

    /**
     * It was not made, or is not answered yet, for a reason that says nothing of the pool: its API is asked too often, or takes its time.
     * Later reads show what became of it; until then nobody else is to be asked for the same.
     *
     * @param underWay whether it was made, and may be carried out yet
     * @param ordinary whether a call takes no longer than calls do: nothing is wrong
     */
    record Open(String words, boolean underWay, boolean ordinary) implements Answer {

        /** An answer that is to be reported. */
        public Open(String words, boolean underWay) {
            this(words, underWay, false);
        }
    }
}
