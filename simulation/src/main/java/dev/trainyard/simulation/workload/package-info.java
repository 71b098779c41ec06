/** What users ask for, and when. */
@NullMarked
package dev.trainyard.simulation.workload;

import org.jspecify.annotations.NullMarked;
