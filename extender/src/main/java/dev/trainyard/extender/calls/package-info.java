/** Whether the scheduler asks the extender at all: one that was not told to cannot be noticed from what it asks. */
@NullMarked
package dev.trainyard.extender.calls;

import org.jspecify.annotations.NullMarked;
