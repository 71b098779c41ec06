package dev.trainyard.local.binaries;

/** Told what is going on while the caller waits. Calls may come from several threads. */
@FunctionalInterface
public interface ProgressListener {

    /** Something new is being done. */
    void step(String what);

    /** The same thing is still being done; comes about once a second, to be shown in place of the one before. */
    default void still(String what) {}

    /** Says nothing. */
    static ProgressListener silent() {
        return what -> {};
    }
}
