/** The webhook's registration in the API server. */
@NullMarked
package dev.trainyard.webhook.registration;

import org.jspecify.annotations.NullMarked;
