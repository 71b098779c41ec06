/** The Prometheus registry of a process. */
@NullMarked
package dev.trainyard.runtime.metrics;

import org.jspecify.annotations.NullMarked;
