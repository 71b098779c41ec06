/** The scheduler extender: which nodes a training pod may have beyond what the scheduler itself knows, and which is best. */
@NullMarked
package dev.trainyard.extender;

import org.jspecify.annotations.NullMarked;
