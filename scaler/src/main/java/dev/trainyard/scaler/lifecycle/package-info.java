/** The lifecycle of nodes, from joining to removal: decides the state of each node and the next step. Pure functions of a snapshot. */
@NullMarked
package dev.trainyard.scaler.lifecycle;

import org.jspecify.annotations.NullMarked;
