package dev.trainyard.emulator.aws;

import java.time.Duration;

/**
 * How long things take that happen by themselves.
 *
 * @param launch from a change of the desired capacity to AWS's first attempt to fill it, which makes instances or fails
 * @param retry from one attempt that failed to the next one
 * @param boot from an instance's being {@code Pending} to its being {@code InService}
 * @param end from an instance's being {@code Terminating} to its being gone
 */
public record Pace(Duration launch, Duration retry, Duration boot, Duration end) {}
