/** How a pod gets onto the machines of its tier. */
@NullMarked
package dev.trainyard.webhook.placement;

import org.jspecify.annotations.NullMarked;
