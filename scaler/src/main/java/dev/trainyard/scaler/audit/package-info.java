/**
 * The audit of the webhook: finds pods that the webhook should have completed. If the webhook is down, the API server admits pods without
 * it.
 */
@NullMarked
package dev.trainyard.scaler.audit;

import org.jspecify.annotations.NullMarked;
