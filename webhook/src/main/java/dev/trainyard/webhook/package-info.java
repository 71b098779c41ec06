/** The webhook, which completes training pods during their creation. */
@NullMarked
package dev.trainyard.webhook;

import org.jspecify.annotations.NullMarked;
