package dev.trainyard.scaler.observe;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The object that creates a pod again, such as a Job.
 *
 * @param kind the kind of the object; at most 63 characters
 * @param name the name of the object; at most 253 characters
 * @param uid the UID of the object, since another object may have the same name later; at most 63 characters
 */
public record PodOwner(String namespace, String kind, String name, String uid) {

    private static final int LONGEST_NAME = 253;
    private static final int LONGEST = 63;

    /**
     * Returns the controller of a pod; empty if the pod has none, or one whose reference is malformed. The API server does not limit the
     * length of the texts in a reference, and they are written to the statuses of tiers.
     */
    public static Optional<PodOwner> of(Pod pod) {
        return PodReading.controller(pod).flatMap(owner -> of(pod.getMetadata().getNamespace(), owner));
    }

    private static Optional<PodOwner> of(String namespace, OwnerReference owner) {
        var kind = owner.getKind();
        var name = owner.getName();
        var uid = owner.getUid();
        return isBounded(namespace, LONGEST)
                        && isBounded(kind, LONGEST)
                        && isBounded(name, LONGEST_NAME)
                        && isBounded(uid, LONGEST)
                ? Optional.of(new PodOwner(namespace, kind, name, uid))
                : Optional.empty();
    }

    private static boolean isBounded(@Nullable String text, int longest) {
        return text != null && text.length() <= longest;
    }
}
