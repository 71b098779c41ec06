/** What runs in a cluster besides us: scheduler, kubelets and controllers. */
@NullMarked
package dev.trainyard.simulation.cluster;

import org.jspecify.annotations.NullMarked;
