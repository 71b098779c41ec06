package dev.trainyard.local.binaries;

/** A listener for progress messages while the caller waits. Calls may come from several threads. */
@FunctionalInterface
public interface ProgressListener {

    /** Reports the start of a new step. */
    void step(String what);

    /** Reports that the current step continues. Called about once a second; the message should replace the previous message. */
    default void still(String what) {}

    /** Returns a listener that ignores all messages. */
    static ProgressListener silent() {
        return what -> {};
    }
}
