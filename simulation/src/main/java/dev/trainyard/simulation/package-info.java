/** A cluster and its clouds in virtual time, run by the production code of the webhook, the extender and the scaler. */
@NullMarked
package dev.trainyard.simulation;

import org.jspecify.annotations.NullMarked;
