package dev.trainyard.scaler.calls;

import java.time.Duration;

/** A meter of calls to clouds. Thread-safe. */
public interface CallMeter {

    /**
     * Counts a call that ended.
     *
     * @param provider the member of {@code spec.provider} that is set, such as {@code awsAutoScalingGroup}
     * @param operation such as {@code read}
     * @param result {@code ok}, or the kind of failure
     */
    void called(String provider, String operation, String result, Duration took);

    /** Records that a call waited because of the call limits of its API. */
    void waited(String provider, String operation, Duration wait);
}
