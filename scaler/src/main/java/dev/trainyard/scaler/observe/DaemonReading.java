package dev.trainyard.scaler.observe;

import dev.trainyard.core.pod.PodReader;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;

/** A reader of the pod that a DaemonSet would put on a node. */
final class DaemonReading {

    private DaemonReading() {}

    /**
     * Tolerations that Kubernetes adds to the pods of DaemonSets ({@code AddOrUpdateDaemonPodTolerations} in kubernetes/kubernetes,
     * {@code pkg/controller/daemon/util}).
     */
    private static final List<Toleration> GIVEN = List.of(
            given("not-ready", "NoExecute"),
            given("unreachable", "NoExecute"),
            given("disk-pressure", "NoSchedule"),
            given("memory-pressure", "NoSchedule"),
            given("pid-pressure", "NoSchedule"),
            given("unschedulable", "NoSchedule"),
            given("network-unavailable", "NoSchedule"));

    /** @throws RuntimeException if the DaemonSet is malformed */
    static Daemon read(DaemonSet set) {
        var template = set.getSpec().getTemplate();
        var pod = new PodBuilder()
                .withMetadata(template.getMetadata())
                .editOrNewMetadata()
                .endMetadata()
                .withSpec(template.getSpec())
                .editSpec()
                .addAllToTolerations(GIVEN)
                .endSpec()
                .build();
        var metadata = set.getMetadata();
        return new Daemon(String.valueOf(metadata.getNamespace()), metadata.getName(), PodReader.shapeOf(pod));
    }

    private static Toleration given(String condition, String effect) {
        return new Toleration(effect, "node.kubernetes.io/" + condition, "Exists", null, null);
    }
}
