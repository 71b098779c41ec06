/** From a machine's joining to its removal: the state of each node, and what is to be done about it. Pure. */
@NullMarked
package dev.trainyard.scaler.lifecycle;

import org.jspecify.annotations.NullMarked;
