/** Fit: could this pod run on that machine? */
@NullMarked
package dev.trainyard.core.fit;

import org.jspecify.annotations.NullMarked;
