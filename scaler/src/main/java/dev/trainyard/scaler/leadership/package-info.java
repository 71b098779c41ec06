/** The Lease, and the guards that stop a scaler that may no longer lead. */
@NullMarked
package dev.trainyard.scaler.leadership;

import org.jspecify.annotations.NullMarked;
