package dev.trainyard.emulator;

import java.time.Instant;

/**
 * A machine that has booted.
 *
 * @param group the cloud resource that contains the machine
 * @param name the name of its node
 * @param providerId the ID that the cloud's controller manager writes into the node
 * @param launched when the cloud began to create the machine
 */
public record EmulatedMachine(String group, String name, String providerId, Instant launched) {}
