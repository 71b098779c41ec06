/** The workloads of users, and when they arrive. */
@NullMarked
package dev.trainyard.simulation.workload;

import org.jspecify.annotations.NullMarked;
