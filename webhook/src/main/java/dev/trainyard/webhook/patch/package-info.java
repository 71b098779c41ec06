/** JSON Patch: minimal operations, built on the received tree and proved by applying them. */
@NullMarked
package dev.trainyard.webhook.patch;

import org.jspecify.annotations.NullMarked;
