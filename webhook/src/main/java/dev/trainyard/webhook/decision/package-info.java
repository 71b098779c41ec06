/** The decision about a pod: the pure function behind the webhook. */
@NullMarked
package dev.trainyard.webhook.decision;

import org.jspecify.annotations.NullMarked;
