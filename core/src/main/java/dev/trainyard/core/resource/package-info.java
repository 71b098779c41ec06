/** Amounts of CPU, memory, GPUs and other Kubernetes resources. */
@NullMarked
package dev.trainyard.core.resource;

import org.jspecify.annotations.NullMarked;
