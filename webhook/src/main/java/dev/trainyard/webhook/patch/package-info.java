/** JSON Patches with minimal operations, which are tested on the received pod before they are sent. */
@NullMarked
package dev.trainyard.webhook.patch;

import org.jspecify.annotations.NullMarked;
