/** Kinds of GPU: what machines have, and what pods wish for. */
@NullMarked
package dev.trainyard.core.gpu;

import org.jspecify.annotations.NullMarked;
