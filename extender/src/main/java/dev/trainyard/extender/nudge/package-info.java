/**
 * Nudges: patches that make the scheduler retry pods to which the extender refused a node that it would pass now. The scheduler itself sees
 * no event for such a change.
 */
@NullMarked
package dev.trainyard.extender.nudge;

import org.jspecify.annotations.NullMarked;
