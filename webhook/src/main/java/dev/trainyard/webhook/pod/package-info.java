/** The pod under admission, read from its JSON tree, and what is said about it. */
@NullMarked
package dev.trainyard.webhook.pod;

import org.jspecify.annotations.NullMarked;
