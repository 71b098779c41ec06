/** How long the planner takes, and how close its plans come to the least that they could cost. */
@NullMarked
package dev.trainyard.bench.planner;

import org.jspecify.annotations.NullMarked;
