package dev.trainyard.core.admission;

import dev.trainyard.core.Names;
import java.util.Optional;

/**
 * The rules that decide which pods the webhook leaves unchanged: pods that belong to other components, and pods that their author or an
 * administrator excluded.
 */
public final class Exemption {

    private static final String MIRROR = "kubernetes.io/config.mirror";

    private Exemption() {}

    /**
     * Returns why a pod is exempt.
     *
     * @param ownNamespace the namespace that Trainyard itself runs in
     * @return the reason why the pod stays unchanged; empty if the pod is not exempt
     */
    public static Optional<String> of(PodOrigin pod, String ownNamespace) {
        if (pod.namespace().equals("kube-system") || pod.namespace().equals(ownNamespace)) {
            return Optional.of("namespace %s is excluded from all changes".formatted(pod.namespace()));
        }
        if (pod.annotations().containsKey(MIRROR)) {
            return Optional.of("mirror pods belong to their kubelet");
        }
        if (pod.ownerKinds().contains("DaemonSet")) {
            return Optional.of("the DaemonSet controller has already chosen the node");
        }
        return optedOut(pod);
    }

    /** Returns the reason if an annotation exempts the pod; else empty. The pod's annotation overrides the namespace's annotation. */
    private static Optional<String> optedOut(PodOrigin origin) {
        var pod = origin.annotation(Names.INJECT);
        if (pod.isPresent()) {
            return pod.filter(Exemption::isNo).map(no -> "annotation %s: \"false\"".formatted(Names.INJECT));
        }
        return origin.namespaceAnnotation(Names.INJECT)
                .filter(Exemption::isNo)
                .map(no -> "annotation %s: \"false\" of namespace %s".formatted(Names.INJECT, origin.namespace()));
    }

    private static boolean isNo(String value) {
        return value.equalsIgnoreCase("false");
    }
}
