/** The lifecycle of nodes from joining to removal: the state of each node, and the next step. Pure. */
@NullMarked
package dev.trainyard.scaler.lifecycle;

import org.jspecify.annotations.NullMarked;
