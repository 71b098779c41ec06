/**
 * Which pods Trainyard completes, and as pods of which tier. Shared by the webhook, which completes them, and the scaler, which looks
 * whether it was done.
 */
@NullMarked
package dev.trainyard.core.admission;

import org.jspecify.annotations.NullMarked;
