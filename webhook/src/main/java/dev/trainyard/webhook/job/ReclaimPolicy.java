package dev.trainyard.webhook.job;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.webhook.patch.Draft;
import dev.trainyard.webhook.pod.MutationNotes;
import java.util.Optional;

/**
 * The policy by which a Job does not count pods that were evicted or whose machine was reclaimed. Kubernetes marks such pods with the
 * condition {@code DisruptionTarget}. Without the policy, the seventh reclaim exceeds the default {@code backoffLimit} of 6, and the Job
 * fails.
 *
 * <p>The API server allows a {@code podFailurePolicy} only with {@code restartPolicy: Never} and {@code podReplacementPolicy: Failed}
 * ({@code pkg/apis/batch/validation.validateJobSpec}).
 */
public final class ReclaimPolicy {

    private static final JsonPointer FAILURE = JsonPointer.compile("/spec/podFailurePolicy");
    private static final JsonPointer REPLACEMENT = JsonPointer.compile("/spec/podReplacementPolicy");
    private static final JsonPointer RESTART = JsonPointer.compile("/spec/template/spec/restartPolicy");
    private static final String FAILED = "Failed";

    /**
     * The API server's default for {@code podReplacementPolicy}. The API server fills defaults in before it calls webhooks, so this value
     * does not show whether the author wrote it.
     */
    private static final String DEFAULT_REPLACEMENT = "TerminatingOrFailed";

    private ReclaimPolicy() {}

    /** Returns why the Job cannot have the policy; empty if it can. */
    public static Optional<String> obstacle(ObjectNode job) {
        if (!job.at(FAILURE).isMissingNode() && !job.at(FAILURE).isNull()) {
            return Optional.of("it has a podFailurePolicy of its own");
        }
        if (!job.at(RESTART).asText().equals("Never")) {
            return Optional.of("its pods do not have restartPolicy Never");
        }
        var replacement = job.at(REPLACEMENT).asText("");
        boolean isOpen = replacement.isEmpty() || replacement.equals(DEFAULT_REPLACEMENT) || replacement.equals(FAILED);
        return isOpen ? Optional.empty() : Optional.of("its podReplacementPolicy is unknown");
    }

    /** Adds the policy to a Job for which {@link #obstacle} is empty. */
    public static void complete(Draft job, MutationNotes notes) {
        var policy = JsonNodeFactory.instance.objectNode();
        policy.putArray("rules")
                .addObject()
                .put("action", "Ignore")
                .putArray("onPodConditions")
                .addObject()
                .put("type", "DisruptionTarget")
                .put("status", "True");
        job.put(FAILURE, policy);
        notes.given("podFailurePolicy: reclaims and evictions do not count as failures");
        if (!job.at(REPLACEMENT).asText().equals(FAILED)) {
            job.put(REPLACEMENT, JsonNodeFactory.instance.textNode(FAILED));
            notes.given("podReplacementPolicy: Failed");
        }
    }
}
