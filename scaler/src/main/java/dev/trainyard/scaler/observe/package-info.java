/** The inputs of a round of the scaler: pending pods, nodes with their pods, and pools. Immutable, no I/O. */
@NullMarked
package dev.trainyard.scaler.observe;

import org.jspecify.annotations.NullMarked;
