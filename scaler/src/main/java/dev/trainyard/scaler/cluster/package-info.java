/** The API server as rounds use it: reads from watches, and writes of the scaler. */
@NullMarked
package dev.trainyard.scaler.cluster;

import org.jspecify.annotations.NullMarked;
