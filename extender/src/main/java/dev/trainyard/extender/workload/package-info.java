/** What pods usually ask for. */
@NullMarked
package dev.trainyard.extender.workload;

import org.jspecify.annotations.NullMarked;
