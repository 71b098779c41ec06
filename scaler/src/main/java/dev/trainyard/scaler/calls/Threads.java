package dev.trainyard.scaler.calls;

/** Where calls to clouds run. */
@FunctionalInterface
public interface Threads {

    /** Runs {@code call} as soon as there is a thread for it, and interrupts it when it takes too long. APIs do not share threads. */
    void run(String api, Runnable call);
}
