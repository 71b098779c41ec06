/** What pods take of GPUs, and what is left of a node's. */
@NullMarked
package dev.trainyard.extender.gpu;

import org.jspecify.annotations.NullMarked;
