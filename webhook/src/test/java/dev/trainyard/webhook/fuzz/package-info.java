@NullMarked
package dev.trainyard.webhook.fuzz;

import org.jspecify.annotations.NullMarked;
