/** The leader election by a Lease, and the guards that reject changes by a scaler that may no longer lead. */
@NullMarked
package dev.trainyard.scaler.leadership;

import org.jspecify.annotations.NullMarked;
