@NullMarked
package dev.trainyard.webhook.gang;

import org.jspecify.annotations.NullMarked;
