package dev.trainyard.emulator.aws;

import java.time.Duration;

/**
 * The durations of operations.
 *
 * @param launch the time from a change of the desired capacity until AWS's first attempt to fill the group; the attempt creates instances or
 *     fails
 * @param retry the time from a failed attempt to the next attempt
 * @param boot how long an instance is {@code Pending} before it is {@code InService}
 * @param end how long an instance is {@code Terminating} before it is gone
 */
public record AwsPace(Duration launch, Duration retry, Duration boot, Duration end) {}
