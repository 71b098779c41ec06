/** Planning: which pools grow, and why a pod stays pending. A pure function of the snapshot. */
@NullMarked
package dev.trainyard.scaler.plan;

import org.jspecify.annotations.NullMarked;
