@NullMarked
package dev.trainyard.webhook.preview;

import org.jspecify.annotations.NullMarked;
