package dev.trainyard.emulator;

import java.time.Instant;

/**
 * A machine that has booted.
 *
 * @param group the cloud resource that keeps it
 * @param name what its node is called
 * @param providerId as the cloud's controller manager writes it into the node
 * @param launched when the cloud began to make it
 */
public record EmulatedMachine(String group, String name, String providerId, Instant launched) {}
