/** Everything goes wrong, by chance and from one seed, and what must always hold is looked at after every step. */
@NullMarked
package dev.trainyard.simulation.chaos;

import org.jspecify.annotations.NullMarked;
