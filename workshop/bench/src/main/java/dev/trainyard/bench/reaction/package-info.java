/** A benchmark of the time from a pod's unschedulable condition to the scaler's call to the cloud, and from a notice to the call. */
@NullMarked
package dev.trainyard.bench.reaction;

import org.jspecify.annotations.NullMarked;
