/** An emulator of the parts of Azure Resource Manager that the scaler uses, on loopback. */
@NullMarked
package dev.trainyard.emulator.azure;

import org.jspecify.annotations.NullMarked;
