/** How containers get at the GPU driver of their node. */
@NullMarked
package dev.trainyard.webhook.driver;

import org.jspecify.annotations.NullMarked;
