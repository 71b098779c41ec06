@NullMarked
package dev.trainyard.webhook.policy;

import org.jspecify.annotations.NullMarked;
