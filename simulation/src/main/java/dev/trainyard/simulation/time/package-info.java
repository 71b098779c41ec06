/** Virtual time and random decisions: the same seed gives the same run. */
@NullMarked
package dev.trainyard.simulation.time;

import org.jspecify.annotations.NullMarked;
