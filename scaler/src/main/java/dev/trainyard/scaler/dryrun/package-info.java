/** The parts of a scaler that changes nothing, and only logs what it would write or request. */
@NullMarked
package dev.trainyard.scaler.dryrun;

import org.jspecify.annotations.NullMarked;
