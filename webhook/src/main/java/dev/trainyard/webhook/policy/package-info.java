/** Kubernetes' own admission policies that do the static part of the webhook's work, by the same rules in CEL. */
@NullMarked
package dev.trainyard.webhook.policy;

import org.jspecify.annotations.NullMarked;
