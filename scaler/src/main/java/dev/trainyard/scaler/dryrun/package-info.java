/** A scaler that changes nothing: it logs what it would write or request. */
@NullMarked
package dev.trainyard.scaler.dryrun;

import org.jspecify.annotations.NullMarked;
