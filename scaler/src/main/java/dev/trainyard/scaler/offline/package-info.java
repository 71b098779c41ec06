/** A round over objects in files: what would be done now. Only reads; no cluster, no cloud. */
@NullMarked
package dev.trainyard.scaler.offline;

import org.jspecify.annotations.NullMarked;
