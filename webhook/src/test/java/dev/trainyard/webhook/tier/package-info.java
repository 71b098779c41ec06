@NullMarked
package dev.trainyard.webhook.tier;

import org.jspecify.annotations.NullMarked;
