/** The scaler's metrics. */
@NullMarked
package dev.trainyard.scaler.metrics;

import org.jspecify.annotations.NullMarked;
