/** The scaler: grows node pools for pending pods, and removes machines that are no longer needed. */
@NullMarked
package dev.trainyard.scaler;

import org.jspecify.annotations.NullMarked;
