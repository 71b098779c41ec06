package dev.trainyard.core.gang;

import com.fasterxml.jackson.databind.JsonNode;
import dev.trainyard.core.gang.GangClaim.Malformed;
import dev.trainyard.core.gang.GangClaim.OfObject;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Optional;

/** The gang of all pods that a Job runs in parallel. */
final class JobGang {

    private JobGang() {}

    /**
     * Returns the gang of the pod's Job; empty if no Job controls the pod.
     *
     * @param otherwise the problem if the Job cannot be read
     */
    static Optional<OfObject> of(Pod pod, Malformed otherwise) {
        return GangObject.controllerOf(pod, "batch")
                .filter(owner -> owner.getKind().equals("Job"))
                .map(owner -> {
                    var job = GangObject.of(owner, pod);
                    return new OfObject(
                            job.key(), job, object -> Optional.of(read(object, job)), Optional.of(otherwise));
                });
    }

    private static Gang read(JsonNode object, GangObject job) {
        int parallelism = Replicas.at(object, "/spec/parallelism", 1);
        int completions = Replicas.at(object, "/spec/completions", parallelism);
        return Gang.found(
                job.key(),
                job.toString(),
                Replicas.size("spec.parallelism", Math.min(parallelism, completions)),
                "spec.parallelism of " + job);
    }
}
