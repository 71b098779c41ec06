@NullMarked
package dev.trainyard.webhook;

import org.jspecify.annotations.NullMarked;
