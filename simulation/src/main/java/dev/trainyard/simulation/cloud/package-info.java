/** A model of clouds that accept requests at once and fill or fail them later. */
@NullMarked
package dev.trainyard.simulation.cloud;

import org.jspecify.annotations.NullMarked;
