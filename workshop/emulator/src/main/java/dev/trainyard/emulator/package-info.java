/** Emulators of clouds' APIs on loopback, which the scaler's SDKs use in place of a real cloud. This package contains their common parts. */
@NullMarked
package dev.trainyard.emulator;

import org.jspecify.annotations.NullMarked;
