/** The static part of what the webhook does, as Kubernetes' own admission policies: the same rules in CEL. */
@NullMarked
package dev.trainyard.webhook.policy;

import org.jspecify.annotations.NullMarked;
