/** Traces of the openb family: machines, pods, and the orders in which pods arrive. */
@NullMarked
package dev.trainyard.bench.scoring.trace;

import org.jspecify.annotations.NullMarked;
