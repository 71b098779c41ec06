/** The placement of pods on the machines of their tier. */
@NullMarked
package dev.trainyard.webhook.placement;

import org.jspecify.annotations.NullMarked;
