/** The two custom resources, as the Kubernetes client knows them. */
@NullMarked
package dev.trainyard.runtime.resource;

import org.jspecify.annotations.NullMarked;
