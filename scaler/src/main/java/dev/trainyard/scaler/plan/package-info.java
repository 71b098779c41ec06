/** The planning of pool sizes: decides which pools grow, and explains why a pod stays pending. A pure function of the snapshot. */
@NullMarked
package dev.trainyard.scaler.plan;

import org.jspecify.annotations.NullMarked;
