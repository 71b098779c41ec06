/** Looks whether the webhook completed the pods that it is there for: the API server goes on without it when it is down. */
@NullMarked
package dev.trainyard.scaler.audit;

import org.jspecify.annotations.NullMarked;
