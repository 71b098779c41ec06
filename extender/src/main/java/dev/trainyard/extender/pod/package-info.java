/** The pod that the scheduler asks about. */
@NullMarked
package dev.trainyard.extender.pod;

import org.jspecify.annotations.NullMarked;
