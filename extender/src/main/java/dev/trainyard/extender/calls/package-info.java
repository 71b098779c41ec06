/** A check whether the scheduler calls the extender at all. A scheduler without the extender in its configuration sends no calls to notice. */
@NullMarked
package dev.trainyard.extender.calls;

import org.jspecify.annotations.NullMarked;
