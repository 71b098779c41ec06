@NullMarked
package dev.trainyard.webhook.decision;

import org.jspecify.annotations.NullMarked;
