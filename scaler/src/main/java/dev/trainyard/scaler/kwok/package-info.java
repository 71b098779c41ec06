/** A simulated cloud: machines are Node objects whose kubelets kwok simulates. */
@NullMarked
package dev.trainyard.scaler.kwok;

import org.jspecify.annotations.NullMarked;
