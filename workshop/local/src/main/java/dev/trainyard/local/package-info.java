/** A real Kubernetes control plane on loopback: {@link dev.trainyard.local.ControlPlane}. */
@NullMarked
package dev.trainyard.local;

import org.jspecify.annotations.NullMarked;
