/** Traces of the openb family: machines, pods, and orders of arrival. */
@NullMarked
package dev.trainyard.bench.scoring.trace;

import org.jspecify.annotations.NullMarked;
