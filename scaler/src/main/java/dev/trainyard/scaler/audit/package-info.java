/** The audit of the webhook: finds pods that it should have completed. The API server admits pods without the webhook if that is down. */
@NullMarked
package dev.trainyard.scaler.audit;

import org.jspecify.annotations.NullMarked;
