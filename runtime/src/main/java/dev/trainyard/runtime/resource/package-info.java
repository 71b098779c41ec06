/** The custom resources, as types for the Kubernetes client. */
@NullMarked
package dev.trainyard.runtime.resource;

import org.jspecify.annotations.NullMarked;
