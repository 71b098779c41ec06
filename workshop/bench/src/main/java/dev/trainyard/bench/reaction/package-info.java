/** How long the scaler takes from a pod's becoming unschedulable to its call to the cloud. */
@NullMarked
package dev.trainyard.bench.reaction;

import org.jspecify.annotations.NullMarked;
