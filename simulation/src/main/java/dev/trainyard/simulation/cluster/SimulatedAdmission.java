package dev.trainyard.simulation.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.Names;
import dev.trainyard.core.admission.NamespaceFacts;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.configuration.CatalogueCache;
import dev.trainyard.runtime.namespace.FileNamespaces;
import dev.trainyard.simulation.api.ApiServer;
import dev.trainyard.webhook.decision.Decision;
import dev.trainyard.webhook.decision.JobDecider;
import dev.trainyard.webhook.decision.PodDecider;
import dev.trainyard.webhook.pod.GpuNames;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.zjsonpatch.JsonPatch;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The admission of pods by an API server. Admission sets a few defaults and runs the webhook's own decision code. */
final class SimulatedAdmission {

    private static final Map<String, Integer> SYSTEM_CLASSES =
            Map.of("system-cluster-critical", 2_000_000_000, "system-node-critical", 2_000_001_000);

    private final ApiServer server;
    private final boolean asksWebhook;
    private final PodDecider decider = new PodDecider(Names.NAMESPACE, GpuNames.DEFAULT);
    private final JobDecider jobDecider = new JobDecider(decider);
    private final KubernetesSerialization serialization = new KubernetesSerialization();
    private final CatalogueCache current = new CatalogueCache();
    private final boolean sharing;
    private final TreeMap<String, Integer> refused = new TreeMap<>();

    /**
     * @param asksWebhook whether the webhook exists; without it, pods stay as users write them
     * @param sharing whether pods can share GPUs in this cluster
     */
    SimulatedAdmission(ApiServer server, boolean asksWebhook, boolean sharing) {
        this.server = server;
        this.asksWebhook = asksWebhook;
        this.sharing = sharing;
    }

    /**
     * Admits a pod.
     *
     * @return empty if the pod is refused
     */
    Optional<Pod> admit(ObjectNode pod, String namespace) {
        var priority = priority(pod.path("spec"));
        if (priority.isEmpty()) {
            return refuse("the API server: PriorityClass '%s' is missing, or its value differs from spec.priority"
                    .formatted(pod.at("/spec/priorityClassName").asText()));
        }
        pod.withObject("/spec").put("priority", priority.get());
        if (!asksWebhook) {
            return Optional.of(complete(pod));
        }
        var decision = decider.decide(pod, namespace, Optional.of(facts(namespace)), catalogue());
        if (decision instanceof Decision.Refused no) {
            return refuse("the webhook: " + no.message());
        }
        if (decision instanceof Decision.Malformed malformed) {
            return refuse("the API server: " + malformed.problem());
        }
        return Optional.of(complete(
                decision instanceof Decision.Completed completed
                        ? JsonPatch.apply(completed.patch().deepCopy(), pod)
                        : pod));
    }

    /**
     * Whether the webhook gives a new Job with this pod template the policy by which evicted pods do not count as failures. Fields of the Job
     * outside its template are not considered.
     */
    boolean ignoresEvictions(ObjectNode template, String namespace) {
        if (!asksWebhook) {
            return false;
        }
        var job = template.objectNode();
        job.putObject("metadata");
        job.putObject("spec").set("template", template);
        return jobDecider.decide(job, namespace, Optional.of(facts(namespace)), catalogue())
                instanceof Decision.Completed;
    }

    /** Returns the valid pools and tiers. */
    Catalogue catalogue() {
        return current.of(
                server.pools().all(), server.tiers().all(), server.settings().all());
    }

    /**
     * Returns the pod's priority by the rules of the API server's {@code plugin/pkg/admission/priority}; empty if the API server refuses
     * the pod.
     */
    private Optional<Integer> priority(JsonNode spec) {
        var name = spec.path("priorityClassName").asText("");
        var found = name.isEmpty()
                ? Optional.of(server.priorityClasses().all().stream()
                        .filter(priority -> Boolean.TRUE.equals(priority.getGlobalDefault()))
                        .map(PriorityClass::getValue)
                        .min(Comparator.naturalOrder())
                        .orElse(0))
                : Optional.ofNullable(SYSTEM_CLASSES.get(name))
                        .or(() -> server.priorityClasses().get(name).map(PriorityClass::getValue));
        return found.filter(
                value -> !spec.has("priority") || spec.path("priority").asInt() == value);
    }

    private Pod complete(JsonNode pod) {
        var object = serialization.convertValue(pod, Pod.class);
        if (object.getSpec().getSchedulerName() == null) {
            object.getSpec().setSchedulerName("default-scheduler");
        }
        if (object.getStatus() == null) {
            object.setStatus(new io.fabric8.kubernetes.api.model.PodStatusBuilder()
                    .withPhase("Pending")
                    .build());
        }
        if (sharing) {
            GpuShares.ask(object);
        }
        return object;
    }

    private Optional<Pod> refuse(String why) {
        refused.merge(why, 1, Integer::sum);
        return Optional.empty();
    }

    /** Returns how many pods were refused, by component and reason. */
    Map<String, Integer> refused() {
        return refused;
    }

    private NamespaceFacts facts(String namespace) {
        return server.namespaces().get(namespace).map(FileNamespaces::factsOf).orElse(NamespaceFacts.NONE);
    }
}
