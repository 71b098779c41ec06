package dev.trainyard.e2e;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A loop that creates ten pods with a GPU request each second in dry-run mode, and records which pods the webhook completed. */
final class Admissions implements AutoCloseable {

    private static final int EVERY_MILLIS = 100;
    private static final ObjectNode POD = JsonNodeFactory.instance.objectNode();

    static {
        POD.withObject("/metadata").put("name", "admitted");
        var container = POD.withObject("/spec").putArray("containers").addObject();
        container.put("name", "a").put("image", "a");
        container.withObject("/resources/limits").put("nvidia.com/gpu", 1);
    }

    /** The result of one admission. */
    enum Outcome {
        COMPLETED,
        /** Admitted unchanged, because the API server did not reach the webhook. */
        MISSED,
        /** The API server did not answer. */
        UNANSWERED
    }

    /** @param begun start time by {@link System#nanoTime} */
    private record Admission(long begun, Outcome outcome) {}

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final Queue<Admission> admissions = new ConcurrentLinkedQueue<>();
    private final KubernetesClient client;
    private final String namespace;

    private Admissions(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    static Admissions begin(KubernetesClient client, String namespace) {
        var admissions = new Admissions(client, namespace);
        var unused =
                admissions.thread.scheduleWithFixedDelay(admissions::admit, 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
        return admissions;
    }

    long count(Outcome outcome) {
        return admissions.stream()
                .filter(admission -> admission.outcome() == outcome)
                .count();
    }

    /** Returns the longest outage of the webhook: the time from the first missed pod to the next completed pod. */
    Duration longestOutage() {
        long longest = 0;
        long missed = 0;
        boolean out = false;
        for (var admission : List.copyOf(admissions)) {
            if (admission.outcome() == Outcome.MISSED && !out) {
                out = true;
                missed = admission.begun();
            } else if (admission.outcome() == Outcome.COMPLETED && out) {
                out = false;
                longest = Math.max(longest, admission.begun() - missed);
            }
        }
        return Duration.ofNanos(longest);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    private void admit() {
        long begun = System.nanoTime();
        admissions.add(new Admission(begun, outcome()));
    }

    private Outcome outcome() {
        try {
            var answer = WebhookAnswer.toDryRun(client, namespace, POD);
            if (!answer.isAccepted()) {
                return Outcome.UNANSWERED;
            }
            return answer.body().at("/metadata/annotations").has(Names.INJECTED) ? Outcome.COMPLETED : Outcome.MISSED;
        } catch (AssertionError e) {
            return Outcome.UNANSWERED; // thrown if the API server does not answer
        }
    }
}
