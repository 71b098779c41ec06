package dev.trainyard.scaler.calls;

import java.time.Duration;

/** Counts calls to clouds. Thread-safe. */
public interface CallMeter {

    /**
     * A call that ended.
     *
     * @param provider the member of {@code spec.provider}
     * @param operation such as {@code read}
     * @param result {@code ok}, or the kind of failure
     */
    void called(String provider, String operation, String result, Duration took);

    /** A call that had to wait, since its API is asked often enough. */
    void waited(String provider, String operation, Duration wait);
}
