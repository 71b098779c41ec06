/** Faults that are injected into a simulated cluster: at random, from the scenario's seed. */
@NullMarked
package dev.trainyard.simulation.fault;

import org.jspecify.annotations.NullMarked;
