/** Wakes pods that the extender refused when it would not refuse them any more: that is no event which the scheduler could see. */
@NullMarked
package dev.trainyard.extender.nudge;

import org.jspecify.annotations.NullMarked;
