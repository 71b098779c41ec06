/** What the webhook reads from, and adds to, Jobs. */
@NullMarked
package dev.trainyard.webhook.job;

import org.jspecify.annotations.NullMarked;
