/** Faults that are injected into a simulated cluster, at random times that depend on the scenario's seed. */
@NullMarked
package dev.trainyard.simulation.fault;

import org.jspecify.annotations.NullMarked;
