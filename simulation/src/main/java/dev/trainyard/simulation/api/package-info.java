/** The Kubernetes API: objects with versions, and watches that show them later. */
@NullMarked
package dev.trainyard.simulation.api;

import org.jspecify.annotations.NullMarked;
