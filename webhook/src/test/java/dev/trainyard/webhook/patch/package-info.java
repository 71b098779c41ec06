@NullMarked
package dev.trainyard.webhook.patch;

import org.jspecify.annotations.NullMarked;
