package dev.trainyard.core.gang;

import dev.trainyard.core.admission.UserText;
import dev.trainyard.core.gang.GangClaim.Malformed;
import dev.trainyard.core.gang.GangClaim.Stated;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;

/**
 * The gang of a plain pod that belongs to a pod group of Kueue. The pod states the whole group. The pods that Kueue groups for a StatefulSet
 * or a LeaderWorkerSet serve, and are no gang: a StatefulSet creates them one after the other. The same holds for fast admission: Kueue admits
 * the group when its first pod exists.
 */
final class KueuePodGroup {

    private static final String NAME = "kueue.x-k8s.io/pod-group-name";
    private static final String COUNT = "kueue.x-k8s.io/pod-group-total-count";
    private static final String FAST_ADMISSION = "kueue.x-k8s.io/pod-group-fast-admission";
    private static final String SERVING = "kueue.x-k8s.io/pod-group-serving";

    private KueuePodGroup() {}

    static Optional<GangClaim> of(Pod pod) {
        var labels = pod.getMetadata().getLabels();
        var annotations = pod.getMetadata().getAnnotations();
        var name = labels == null ? null : labels.get(NAME);
        var count = annotations == null ? null : annotations.get(COUNT);
        // Pods of Kueue's other integrations may have the label, but only plain pods state the count.
        return name == null
                        || count == null
                        || "true".equals(annotations.get(SERVING))
                        || "true".equals(annotations.get(FAST_ADMISSION))
                ? Optional.empty()
                : Optional.of(claim(pod, name, count));
    }

    private static GangClaim claim(Pod pod, String name, String count) {
        var group = "Kueue's pod group %s/%s".formatted(GangObject.namespace(pod), UserText.shown(name));
        return Replicas.stated(count)
                .<GangClaim>map(size -> new Stated(Gang.found(group, group, size, "annotation " + COUNT)))
                .orElseGet(() -> new Malformed(group, group, Replicas.problem(COUNT, count)));
    }
}
