package dev.trainyard.extender.nudge;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.trainyard.core.Names;
import dev.trainyard.extender.pod.PodFacts;
import dev.trainyard.runtime.log.RepetitionFilter;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.StatusDetails;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A writer of the annotation {@link Names#NUDGED} on pods. The scheduler retries a pending pod after any change of the pod. The patch
 * states the pod's UID, so that another pod of the same name is not changed.
 */
public final class PodNudge {

    /** The outcome of a nudge. */
    enum Outcome {
        SENT,
        /** The pod no longer exists. */
        GONE,
        /** This pod could not be nudged; others may succeed. */
        FAILED,
        /** The API server was not reached or is overloaded; all pods would fail. */
        NO_SERVER
    }

    private static final Logger log = LoggerFactory.getLogger(PodNudge.class);
    private static final int TOO_MANY_REQUESTS = 429;
    private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

    private final KubernetesClient client;
    private final Clock clock;
    private final RepetitionFilter problems = new RepetitionFilter();

    public PodNudge(KubernetesClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    Outcome send(PodFacts pod) {
        try {
            client.pods().inNamespace(pod.namespace()).withName(pod.name()).patch(MERGE, patch(pod.uid()));
            problems.forget();
            return Outcome.SENT;
        } catch (KubernetesClientException e) {
            if (isAboutNoSuchPod(e)) {
                return Outcome.GONE;
            }
            warn(pod, e.getCode() + " " + e.getClass().getName(), reason(e));
            return isAboutTheServer(e) ? Outcome.NO_SERVER : Outcome.FAILED;
        } catch (RuntimeException e) { // one odd pod must not block the nudges of others
            warn(pod, e.getClass().getName(), e.toString());
            return Outcome.FAILED;
        }
    }

    private void warn(PodFacts pod, String kind, String reason) {
        if (problems.isNew(kind)) {
            log.warn(
                    "the scheduler does not retry pod {}/{} yet, because the pod could not be patched: {}; if the right to patch pods is"
                            + " missing, apply manifests/base/extender/rbac.yaml",
                    pod.namespace(),
                    pod.name(),
                    reason);
        }
    }

    private static String reason(KubernetesClientException problem) {
        var status = problem.getStatus();
        return status == null || status.getMessage() == null
                ? String.valueOf(problem.getMessage())
                : status.getMessage();
    }

    /** Whether the server is the problem. The client uses code 0 for a server that did not answer. */
    private static boolean isAboutTheServer(KubernetesClientException problem) {
        return problem.getCode() == 0
                || problem.getCode() == TOO_MANY_REQUESTS
                || problem.getCode() >= HttpURLConnection.HTTP_INTERNAL_ERROR;
    }

    /**
     * Whether the pod no longer exists. If another pod has the name now, the server refuses the UID in the patch as a change of an
     * immutable field.
     */
    private static boolean isAboutNoSuchPod(KubernetesClientException problem) {
        return problem.getCode() == HttpURLConnection.HTTP_NOT_FOUND
                || problem.getCode() == HttpURLConnection.HTTP_CONFLICT
                || Optional.ofNullable(problem.getStatus())
                        .map(Status::getDetails)
                        .map(StatusDetails::getCauses)
                        .orElse(List.of())
                        .stream()
                        .anyMatch(cause -> "metadata.uid".equals(cause.getField()));
    }

    private String patch(String uid) {
        var metadata = JsonNodeFactory.instance.objectNode().put("uid", uid);
        metadata.putObject("annotations")
                .put(
                        Names.NUDGED,
                        clock.instant().truncatedTo(ChronoUnit.MILLIS).toString());
        return JsonNodeFactory.instance.objectNode().set("metadata", metadata).toString();
    }
}
