/** Previews of what the webhook would change in the objects of files. */
@NullMarked
package dev.trainyard.webhook.preview;

import org.jspecify.annotations.NullMarked;
