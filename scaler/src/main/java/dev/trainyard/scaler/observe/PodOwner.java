package dev.trainyard.scaler.observe;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;

/**
 * The object that creates a pod again, such as a Job.
 *
 * @param kind the kind of the object; at most {@link #LONGEST} characters, since nothing else bounds it
 */
public record PodOwner(String namespace, String kind, String name) {

    private static final int LONGEST = 63;

    /** Returns the controller of a pod; empty if the pod has none, or one whose reference is malformed. */
    public static Optional<PodOwner> of(Pod pod) {
        return PodReading.controller(pod)
                .filter(owner -> owner.getKind() != null && owner.getName() != null)
                .filter(owner -> owner.getKind().length() <= LONGEST)
                .map(owner -> new PodOwner(pod.getMetadata().getNamespace(), owner.getKind(), owner.getName()));
    }
}
