/** Trainyard installed on a local control plane, from the manifests that users install. */
@NullMarked
package dev.trainyard.workshop.cluster;

import org.jspecify.annotations.NullMarked;
