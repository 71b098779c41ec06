package dev.trainyard.scaler.calls;

/** The threads for calls to clouds. */
@FunctionalInterface
public interface Threads {

    /** Runs {@code call} once a thread is free, and interrupts the call if it takes too long. APIs do not share threads. */
    void run(String api, Runnable call);
}
