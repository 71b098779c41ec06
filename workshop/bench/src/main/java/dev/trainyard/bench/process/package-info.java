/** The server processes under measurement, and their CPU time and memory. */
@NullMarked
package dev.trainyard.bench.process;

import org.jspecify.annotations.NullMarked;
