/** The static part of the webhook's work as Kubernetes' own admission policies: the same rules in CEL. */
@NullMarked
package dev.trainyard.webhook.policy;

import org.jspecify.annotations.NullMarked;
