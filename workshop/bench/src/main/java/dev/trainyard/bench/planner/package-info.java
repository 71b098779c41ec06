/** A benchmark of the planner's time, and of the cost of its plans against a lower bound. */
@NullMarked
package dev.trainyard.bench.planner;

import org.jspecify.annotations.NullMarked;
