/** Virtual time and chance: the same seed gives the same run. */
@NullMarked
package dev.trainyard.simulation.time;

import org.jspecify.annotations.NullMarked;
