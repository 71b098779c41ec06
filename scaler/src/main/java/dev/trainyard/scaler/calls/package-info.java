/** Calls to clouds: one after another for each pool, concurrent for different pools, and within the limits of the clouds' APIs. */
@NullMarked
package dev.trainyard.scaler.calls;

import org.jspecify.annotations.NullMarked;
