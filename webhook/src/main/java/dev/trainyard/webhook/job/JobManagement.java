package dev.trainyard.webhook.job;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.admission.UserText;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The signs that a controller other than Kubernetes' own manages a Job. Such a controller may count failures in its own way. */
public final class JobManagement {

    /** The {@code spec.managedBy} of Kubernetes' own Job controller ({@code k8s.io/api/batch/v1.JobControllerName}). */
    private static final String JOB_CONTROLLER = "kubernetes.io/job-controller";

    private static final String KUEUE_PREFIX = "kueue.x-k8s.io/";

    private JobManagement() {}

    /** Returns the sign that another controller manages the Job; empty if there is none. An owner that is a CronJob is no sign. */
    public static Optional<String> sign(ObjectNode job) {
        var managedBy = job.path("spec").path("managedBy").asText("");
        if (!managedBy.isEmpty() && !managedBy.equals(JOB_CONTROLLER)) {
            return Optional.of("spec.managedBy: " + UserText.shown(managedBy));
        }
        var metadata = job.path("metadata");
        var mark = Stream.of("labels", "annotations")
                .flatMap(kind -> metadata.path(kind).properties().stream())
                .map(entry -> entry.getKey())
                .filter(name -> name.startsWith(KUEUE_PREFIX))
                .findFirst();
        if (mark.isPresent()) {
            return mark.map(name -> "the mark " + UserText.shown(name) + " of Kueue");
        }
        return StreamSupport.stream(metadata.path("ownerReferences").spliterator(), false)
                .filter(owner -> !isCronJob(owner))
                .findFirst()
                .map(owner -> "the owner %s %s"
                        .formatted(
                                UserText.shown(owner.path("kind").asText()),
                                UserText.shown(owner.path("name").asText())));
    }

    private static boolean isCronJob(JsonNode owner) {
        return owner.path("kind").asText().equals("CronJob")
                && owner.path("apiVersion").asText().startsWith("batch/");
    }
}
