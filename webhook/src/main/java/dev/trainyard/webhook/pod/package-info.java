/** The pod under admission, read from its JSON tree, and the messages about it. */
@NullMarked
package dev.trainyard.webhook.pod;

import org.jspecify.annotations.NullMarked;
