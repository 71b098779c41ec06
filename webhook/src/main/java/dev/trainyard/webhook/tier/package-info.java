/** Which tier a pod belongs to. */
@NullMarked
package dev.trainyard.webhook.tier;

import org.jspecify.annotations.NullMarked;
