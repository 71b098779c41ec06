/** The GPUs that pods take, and the GPUs that nodes have left. */
@NullMarked
package dev.trainyard.extender.gpu;

import org.jspecify.annotations.NullMarked;
