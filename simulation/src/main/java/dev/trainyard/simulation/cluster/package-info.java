/** The simulated cluster: the scheduler, kubelets and controllers around the Trainyard components. */
@NullMarked
package dev.trainyard.simulation.cluster;

import org.jspecify.annotations.NullMarked;
