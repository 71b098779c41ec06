/** The scheduling gate that holds the pods of a gang back. */
@NullMarked
package dev.trainyard.webhook.gang;

import org.jspecify.annotations.NullMarked;
