package dev.trainyard.workshop.demo;

import java.time.Duration;

/**
 * An event of the demo.
 *
 * @param at the time since the start of the demo
 * @param who the component, such as {@code scaler}
 * @param what the action and its reason; equal actions on several objects must have equal texts, so that they are shown as one line
 * @param object the object of the action, such as {@code pod/demo-spot/tftrain-x7k2p}
 */
record TimelineEvent(Duration at, String who, String what, String object) {}
