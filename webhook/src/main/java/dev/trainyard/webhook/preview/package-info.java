/** What the webhook would make of objects in files. */
@NullMarked
package dev.trainyard.webhook.preview;

import org.jspecify.annotations.NullMarked;
