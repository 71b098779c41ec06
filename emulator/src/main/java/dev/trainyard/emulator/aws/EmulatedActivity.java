package dev.trainyard.emulator.aws;

import java.time.Instant;

/** A scaling activity, over as soon as it is there; {@code message} is empty unless it failed. */
record EmulatedActivity(String id, String description, String status, String message, Instant at) {}
