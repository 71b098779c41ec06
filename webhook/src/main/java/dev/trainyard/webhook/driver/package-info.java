/** The injection of the node's GPU driver into containers. */
@NullMarked
package dev.trainyard.webhook.driver;

import org.jspecify.annotations.NullMarked;
