/** The gangs of pods: what a pod, or the object that owns the pod, says about the pods that are useful only together. */
@NullMarked
package dev.trainyard.core.gang;

import org.jspecify.annotations.NullMarked;
