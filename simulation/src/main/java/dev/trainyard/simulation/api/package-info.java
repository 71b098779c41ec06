/** The Kubernetes API: objects with versions, and watches that report changes with a delay. */
@NullMarked
package dev.trainyard.simulation.api;

import org.jspecify.annotations.NullMarked;
