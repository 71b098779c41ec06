/** Most of the webhook's rules as admission policies in CEL, which the API server evaluates without a webhook. */
@NullMarked
package dev.trainyard.webhook.policy;

import org.jspecify.annotations.NullMarked;
