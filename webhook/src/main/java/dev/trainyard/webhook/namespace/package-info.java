/** What the webhook knows of namespaces. */
@NullMarked
package dev.trainyard.webhook.namespace;

import org.jspecify.annotations.NullMarked;
