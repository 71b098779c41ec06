/** The leader election by a Lease, and the guards that reject a scaler's changes if another scaler may lead by now. */
@NullMarked
package dev.trainyard.scaler.leadership;

import org.jspecify.annotations.NullMarked;
