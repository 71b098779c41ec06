@NullMarked
package dev.trainyard.webhook.admission;

import org.jspecify.annotations.NullMarked;
