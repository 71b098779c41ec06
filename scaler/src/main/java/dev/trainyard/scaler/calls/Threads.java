package dev.trainyard.scaler.calls;

/** The threads for calls to clouds. */
@FunctionalInterface
public interface Threads {

    /**
     * Runs {@code call} on a thread of the API once a thread is free, and interrupts the call if it takes too long. Each API has its own
     * threads.
     */
    void run(String api, Runnable call);
}
