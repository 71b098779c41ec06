/** What a training gets to save a checkpoint before its machine is removed. */
@NullMarked
package dev.trainyard.webhook.checkpoint;

import org.jspecify.annotations.NullMarked;
