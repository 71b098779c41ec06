/**
 * Calls to clouds. The calls of one pool run one after another. Calls of different pools run concurrently. All calls stay within the limits
 * of the clouds' APIs.
 */
@NullMarked
package dev.trainyard.scaler.calls;

import org.jspecify.annotations.NullMarked;
