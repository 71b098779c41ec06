package dev.trainyard.core.admission;

import dev.trainyard.core.Names;
import java.util.Optional;

/** Pods that nobody may touch, and those whose author or administrator does not want it. */
public final class Exemption {

    private static final String MIRROR = "kubernetes.io/config.mirror";

    private Exemption() {}

    /**
     * Returns why a pod is exempt.
     *
     * @param ownNamespace where Trainyard itself runs
     * @return why the pod is to be left alone; empty when it is not
     */
    public static Optional<String> of(PodOrigin pod, String ownNamespace) {
        if (pod.namespace().equals("kube-system") || pod.namespace().equals(ownNamespace)) {
            return Optional.of("namespace %s is left alone".formatted(pod.namespace()));
        }
        if (pod.annotations().containsKey(MIRROR)) {
            return Optional.of("a mirror pod: its kubelet owns it");
        }
        if (pod.ownerKinds().contains("DaemonSet")) {
            return Optional.of("a DaemonSet's pod: its node is chosen already");
        }
        return optedOut(pod);
    }

    /** The pod's own word counts before its namespace's. */
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
