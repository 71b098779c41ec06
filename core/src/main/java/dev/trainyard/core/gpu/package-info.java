/** The kinds of GPU that machines have and that pods request. */
@NullMarked
package dev.trainyard.core.gpu;

import org.jspecify.annotations.NullMarked;
