/** Which pools grow, and why a pod still waits. A pure function of what was observed. */
@NullMarked
package dev.trainyard.scaler.plan;

import org.jspecify.annotations.NullMarked;
