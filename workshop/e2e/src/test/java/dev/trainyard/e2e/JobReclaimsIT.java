package dev.trainyard.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.local.ControlPlane;
import dev.trainyard.local.testing.WithControlPlane;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Jobs whose pods are evicted again and again, as before a reclaim of their machines. The webhook, the eviction API and the Job controller
 * are real. The test stands in for the kubelet.
 */
@WithControlPlane
@ResourceLock(WithControlPlane.CLUSTER)
class JobReclaimsIT {

    private static final int RECLAIMS = 20;
    private static final int BACKOFF_LIMIT = 6;

    /**
     * How long ago containers ended. After a failed pod, the Job controller waits up to 10 minutes from this time, whether or not it counts
     * the failure.
     */
    private static final Duration ENDED_AGO = Duration.ofMinutes(11);

    private static final int NOT_FOUND = 404;

    private static RegisteredWebhook webhook;

    private final Set<String> seen = new HashSet<>();

    @BeforeAll
    static void start(ControlPlane controlPlane, KubernetesClient client) throws Exception {
        webhook = RegisteredWebhook.start(controlPlane, client);
    }

    @AfterAll
    static void stop() {
        webhook.close();
    }

    @BeforeEach
    void awaitCalled(KubernetesClient client, Namespace namespace) {
        RegisteredWebhook.awaitCalledFor(client, namespace.getMetadata().getName());
    }

    @Test
    void completesAfterTwentyReclaimsWithoutAFailure(KubernetesClient client, Namespace namespace) {
        var job = create(client, namespace, Map.of());
        assertThat(job.getSpec().getPodReplacementPolicy()).isEqualTo("Failed");
        assertThat(job.getMetadata().getAnnotations().get(Names.INJECTED))
                .startsWith("tier light-gpu; podFailurePolicy");

        for (int reclaim = 0; reclaim < RECLAIMS; reclaim++) {
            reclaim(client, nextPod(client, job));
        }
        succeed(client, nextPod(client, job));

        TrainingGround.awaitTrue("the Job completes", () -> has(current(client, job), "Complete"));
        assertThat(current(client, job).getStatus().getSucceeded()).isEqualTo(1);
        assertThat(Optional.ofNullable(current(client, job).getStatus().getFailed())
                        .orElse(0))
                .isZero();
        assertThat(seen).hasSize(RECLAIMS + 1);
    }

    @Test
    void failsAtTheSeventhReclaimIfItsAuthorOptsOut(KubernetesClient client, Namespace namespace) {
        var job = create(client, namespace, Map.of(Names.INJECT, "false"));
        assertThat(job.getSpec().getPodFailurePolicy()).isNull();

        for (int reclaim = 0; reclaim <= BACKOFF_LIMIT; reclaim++) {
            assertThat(has(current(client, job), "Failed")).isFalse();
            reclaim(client, nextPod(client, job));
        }

        TrainingGround.awaitTrue("the Job fails", () -> has(current(client, job), "Failed"));
        assertThat(current(client, job).getStatus().getFailed()).isEqualTo(BACKOFF_LIMIT + 1);
        assertThat(current(client, job).getStatus().getConditions())
                .extracting(JobCondition::getReason)
                .contains("BackoffLimitExceeded");
    }

    private static Job create(KubernetesClient client, Namespace namespace, Map<String, String> annotations) {
        var job = client.getKubernetesSerialization().unmarshal("""
                apiVersion: batch/v1
                kind: Job
                metadata: {name: train}
                spec:
                  backoffLimit: %d
                  template:
                    spec:
                      restartPolicy: Never
                      containers: [{name: train, image: train, resources: {limits: {nvidia.com/gpu: 1}}}]
                """.formatted(BACKOFF_LIMIT), Job.class);
        job.getMetadata().setNamespace(namespace.getMetadata().getName());
        job.getMetadata().setAnnotations(annotations);
        return client.resource(job).create();
    }

    /** Waits for a pod of the Job that was not returned before. */
    private Pod nextPod(KubernetesClient client, Job job) {
        return TrainingGround.await(
                "pod %d of the Job".formatted(seen.size() + 1),
                () -> pods(client, job).stream()
                        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                        .filter(pod -> seen.add(pod.getMetadata().getName()))
                        .findFirst());
    }

    private static List<Pod> pods(KubernetesClient client, Job job) {
        return client.pods()
                .inNamespace(job.getMetadata().getNamespace())
                .withLabel("batch.kubernetes.io/job-name", job.getMetadata().getName())
                .list()
                .getItems();
    }

    /** Evicts a running pod through the API, and reports its end as a kubelet does. */
    private static void reclaim(KubernetesClient client, Pod pod) {
        setStatus(client, pod, "Running", 143);
        assertThat(resource(client, pod).evict()).isTrue();
        try {
            var failed = setStatus(client, pod, "Failed", 143);
            assertThat(failed.getStatus().getConditions())
                    .extracting(PodCondition::getType)
                    .contains("DisruptionTarget");
        } catch (KubernetesClientException e) {
            // Without the policy, the Job controller counts and removes a pod at once when it is being deleted.
            assertThat(e.getCode()).isEqualTo(NOT_FOUND);
        }
    }

    private static void succeed(KubernetesClient client, Pod pod) {
        setStatus(client, pod, "Succeeded", 0);
    }

    /** Sets the phase of a pod whose container ended some time ago. */
    private static Pod setStatus(KubernetesClient client, Pod pod, String phase, int exitCode) {
        var ended = Instant.now().minus(ENDED_AGO).truncatedTo(ChronoUnit.SECONDS);
        var status = """
                {"status": {"phase": "%s", "containerStatuses": [{
                  "name": "train", "image": "train", "imageID": "train", "ready": false, "restartCount": 0,
                  "state": {"terminated": {"exitCode": %d, "startedAt": "%s", "finishedAt": "%s"}}}]}}
                """.formatted(phase, exitCode, ended, ended);
        return resource(client, pod).subresource("status").patch(PatchContext.of(PatchType.STRATEGIC_MERGE), status);
    }

    private static PodResource resource(KubernetesClient client, Pod pod) {
        return client.pods()
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(pod.getMetadata().getName());
    }

    private static Job current(KubernetesClient client, Job job) {
        return client.resource(job).get();
    }

    private static boolean has(Job job, String condition) {
        return job.getStatus() != null
                && job.getStatus().getConditions().stream()
                        .anyMatch(one -> one.getType().equals(condition)
                                && one.getStatus().equals("True"));
    }
}
