/** The API server as rounds see it: what its watches have, and what the scaler writes. */
@NullMarked
package dev.trainyard.scaler.cluster;

import org.jspecify.annotations.NullMarked;
