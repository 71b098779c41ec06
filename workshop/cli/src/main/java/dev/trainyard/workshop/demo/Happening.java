package dev.trainyard.workshop.demo;

import java.time.Duration;

/**
 * Something that somebody did.
 *
 * @param at since the demo began
 * @param who such as {@code scaler}
 * @param what and why; the same words for the same thing done to several objects
 * @param object what it was done to, such as {@code pod/demo-spot/tftrain-x7k2p}
 */
record Happening(Duration at, String who, String what, String object) {}
