@NullMarked
package dev.trainyard.webhook.pod;

import org.jspecify.annotations.NullMarked;
