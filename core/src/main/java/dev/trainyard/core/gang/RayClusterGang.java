package dev.trainyard.core.gang;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.admission.UserText;
import dev.trainyard.core.gang.GangClaim.OfObject;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;

/**
 * The gang of a RayCluster: the head and the workers, or the head and the fewest workers if Ray scales the cluster. A cluster whose head may
 * be alone is no gang.
 */
final class RayClusterGang {

    private static final String WORKERS = "spec.workerGroupSpecs";

    private RayClusterGang() {}

    static Optional<GangClaim> of(Pod pod) {
        return GangObject.controllerOf(pod, "ray.io")
                .filter(owner -> owner.getKind().equals("RayCluster"))
                .map(owner -> {
                    var cluster = GangObject.of(owner, pod);
                    return new OfObject(cluster.key(), cluster, object -> read(object, cluster), Optional.empty());
                });
    }

    private static Optional<Gang> read(JsonNode object, GangObject cluster) {
        boolean scales = object.at("/spec/enableInTreeAutoscaling").asBoolean();
        long pods = 1; // the head
        for (var workers : object.at("/spec/workerGroupSpecs")) {
            if (!workers.path("suspend").asBoolean()) {
                var part = "%s[%s]."
                        .formatted(
                                WORKERS,
                                UserText.shown(workers.path("groupName").asText()));
                // KubeRay keeps to both limits, whatever the number of replicas is. Its definition's default of the
                // upper limit is huge.
                int least = Replicas.at(workers, part, "/minReplicas", 0);
                long most = workers.path("maxReplicas").asLong(Gang.LARGEST);
                int replicas = Replicas.at(workers, part, "/replicas", least);
                pods += Math.max(least, scales ? 0 : Math.min(replicas, most))
                        * Math.max(1, Replicas.at(workers, part, "/numOfHosts", 1));
            }
        }
        return Optional.of(Gang.found(
                        cluster.key(), cluster.toString(), Replicas.size(WORKERS, pods), WORKERS + " of " + cluster))
                .filter(gang -> gang.size() > 1);
    }
}
