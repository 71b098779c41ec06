/** The processes under measurement, and what they cost. */
@NullMarked
package dev.trainyard.bench.process;

import org.jspecify.annotations.NullMarked;
