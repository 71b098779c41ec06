/** The checks whether a pod can run on a machine. */
@NullMarked
package dev.trainyard.core.fit;

import org.jspecify.annotations.NullMarked;
