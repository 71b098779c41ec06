/** Azure Resource Manager on loopback, as far as the scaler uses it. */
@NullMarked
package dev.trainyard.emulator.azure;

import org.jspecify.annotations.NullMarked;
