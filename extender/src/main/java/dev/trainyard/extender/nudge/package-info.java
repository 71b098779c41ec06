/** Nudges for pods that the extender refused and would not refuse now. The scheduler sees no event for such a change. */
@NullMarked
package dev.trainyard.extender.nudge;

import org.jspecify.annotations.NullMarked;
