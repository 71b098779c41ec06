/** Volumes that the webhook adds to a pod, and their mounts beside those of the pod's author. */
@NullMarked
package dev.trainyard.webhook.volume;

import org.jspecify.annotations.NullMarked;
