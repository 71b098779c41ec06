/** Clouds' APIs on loopback: what the scaler's SDKs speak with where there is no cloud. What all of them have in common is here. */
@NullMarked
package dev.trainyard.emulator;

import org.jspecify.annotations.NullMarked;
