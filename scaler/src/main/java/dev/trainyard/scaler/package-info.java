/** Grows node pools for pods that cannot be placed, and removes machines that nobody needs any more. */
@NullMarked
package dev.trainyard.scaler;

import org.jspecify.annotations.NullMarked;
