package dev.trainyard.webhook.decision;

import dev.trainyard.core.Names;
import dev.trainyard.webhook.pod.PodRequest;
import java.util.Optional;
import java.util.stream.StreamSupport;

/** Pods that nobody may touch, and those whose author or administrator does not want it. */
final class Exemption {

    private static final String MIRROR = "kubernetes.io/config.mirror";

    private Exemption() {}

    /** @return why the pod is to be left alone; empty when it is not */
    static Optional<String> of(PodRequest request, String ownNamespace) {
        if (request.namespace().equals("kube-system") || request.namespace().equals(ownNamespace)) {
            return Optional.of("namespace %s is left alone".formatted(request.namespace()));
        }
        if (request.pod().path("metadata").path("annotations").has(MIRROR)) {
            return Optional.of("a mirror pod: its kubelet owns it");
        }
        if (isOfDaemonSet(request)) {
            return Optional.of("a DaemonSet's pod: its node is chosen already");
        }
        return optedOut(request);
    }

    private static boolean isOfDaemonSet(PodRequest request) {
        var owners = request.pod().path("metadata").path("ownerReferences");
        return StreamSupport.stream(owners.spliterator(), false)
                .anyMatch(owner -> owner.path("kind").asText().equals("DaemonSet"));
    }

    /** The pod's own word counts before its namespace's. */
    private static Optional<String> optedOut(PodRequest request) {
        var pod = request.annotation(Names.INJECT);
        if (pod.isPresent()) {
            return pod.filter(Exemption::isNo).map(no -> "annotation %s: \"false\"".formatted(Names.INJECT));
        }
        return request.namespaceAnnotation(Names.INJECT)
                .filter(Exemption::isNo)
                .map(no -> "annotation %s: \"false\" of namespace %s".formatted(Names.INJECT, request.namespace()));
    }

    private static boolean isNo(String value) {
        return value.equalsIgnoreCase("false");
    }
}
