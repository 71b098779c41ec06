/**
 * The rules for which pods Trainyard completes, and which tier they get. The webhook completes the pods by these rules; the scaler checks by
 * them whether the webhook did so.
 */
@NullMarked
package dev.trainyard.core.admission;

import org.jspecify.annotations.NullMarked;
