/** The readers of queues in which clouds announce that machines will be gone. */
@NullMarked
package dev.trainyard.scaler.queue;

import org.jspecify.annotations.NullMarked;
