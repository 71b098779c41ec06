/** Clouds that accept orders at once and fail them later. */
@NullMarked
package dev.trainyard.simulation.cloud;

import org.jspecify.annotations.NullMarked;
