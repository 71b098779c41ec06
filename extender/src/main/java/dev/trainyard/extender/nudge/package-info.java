/**
 * Nudges. A nudge is a patch that makes the scheduler retry a pending pod. The extender refused a node for this pod, and would accept the
 * node now. The scheduler does not notice by itself that the extender's answer has changed.
 */
@NullMarked
package dev.trainyard.extender.nudge;

import org.jspecify.annotations.NullMarked;
