package dev.trainyard.scaler.offline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.core.catalogue.Catalogue;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.configuration.ResourceFiles.Document;
import dev.trainyard.scaler.observe.PodReading;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The pods from files, completed for a round. A pod that no API server has admitted goes through a simulated admission. A pod
 * without a node and without the condition {@code PodScheduled} counts as unschedulable.
 *
 * @param refused why the webhook would refuse pods, by {@code namespace/name}
 */
record OfflinePods(List<Pod> pods, Map<String, String> refused) {

    private static final String SCHEDULED = "PodScheduled";

    static OfflinePods of(
            ResourceFiles files, OfflineAdmission admission, Catalogue catalogue, Instant now, PlanRemarks remarks) {
        var written = new ArrayList<Document>();
        files.documents().stream()
                .filter(document -> document.kind().equals("Pod"))
                .forEach(written::add);
        written.addAll(Workloads.pods(files, remarks));
        var refused = new TreeMap<String, String>();
        var admitted = new ArrayList<Document>();
        for (var document : written) {
            if (isUnseen(document.object())) {
                admit(document, admission, catalogue, refused, remarks).ifPresent(admitted::add);
            } else {
                admitted.add(document);
            }
        }
        // The pods are replaced in the list itself, to save memory: a dump may contain tens of thousands of pods.
        var pods = new ArrayList<>(new ResourceFiles(admitted).ofKind(Pod.class, remarks::broken));
        pods.replaceAll(pod -> complete(pod, now, remarks));
        return new OfflinePods(pods, refused);
    }

    static String title(Pod pod) {
        return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    }

    /** Whether no API server has admitted the pod. */
    static boolean isUnseen(JsonNode pod) {
        return pod.path("metadata").path("uid").asText().isEmpty()
                && pod.path("status").path("conditions").isEmpty();
    }

    private static Optional<Document> admit(
            Document document,
            OfflineAdmission admission,
            Catalogue catalogue,
            Map<String, String> refused,
            PlanRemarks remarks) {
        var pod = (ObjectNode) document.object();
        var namespace = pod.path("metadata").path("namespace").asText();
        var name = namespace + "/" + document.name();
        var after = admission.admit(pod, namespace, catalogue);
        if (!pod.path("spec").path("nodeName").asText().isEmpty()) {
            // A pod that is on a node is kept, even if it would be refused today.
            return Optional.of(after.refusal().isPresent() ? document : new Document(document.place(), after.pod()));
        }
        after.warnings().forEach(warning -> remarks.note("pod %s: %s".formatted(name, warning)));
        if (after.refusal().isPresent()) {
            refused.put(
                    name, "the webhook would refuse the pod: " + after.refusal().get());
            return Optional.empty();
        }
        return Optional.of(new Document(document.place(), after.pod()));
    }

    private static Pod complete(Pod pod, Instant now, PlanRemarks remarks) {
        var builder = new PodBuilder(pod);
        if (isEmpty(pod.getMetadata().getUid())) {
            builder.editMetadata().withUid(title(pod)).endMetadata();
        }
        if (pod.getMetadata().getCreationTimestamp() == null) {
            builder.editMetadata().withCreationTimestamp(now.toString()).endMetadata();
        }
        if (isUntried(pod, remarks)) {
            builder.editOrNewStatus()
                    .addNewCondition()
                    .withType(SCHEDULED)
                    .withStatus("False")
                    .withReason("Unschedulable")
                    .withMessage("nothing yet")
                    .endCondition()
                    .endStatus();
        }
        return builder.build();
    }

    /**
     * Whether the scheduler could place the pod, but has not tried yet. Such a pod has no node and no condition {@code PodScheduled}, and
     * no scheduling gate or nomination holds the pod back.
     */
    private static boolean isUntried(Pod pod, PlanRemarks remarks) {
        var spec = pod.getSpec();
        if (spec == null
                || !isEmpty(spec.getNodeName())
                || PodReading.ended(pod)
                || pod.getMetadata().getDeletionTimestamp() != null) {
            return false;
        }
        if (PodReading.isGated(pod)) {
            return false; // a pending pod already
        }
        if (spec.getSchedulingGates() != null && !spec.getSchedulingGates().isEmpty()) {
            remarks.note("pod %s is held back by scheduling gate %s: nothing is planned for it"
                    .formatted(title(pod), spec.getSchedulingGates().get(0).getName()));
            return false;
        }
        var nominated = pod.getStatus() == null ? null : pod.getStatus().getNominatedNodeName();
        if (!isEmpty(nominated)) {
            remarks.note(
                    "pod %s is nominated for node %s: the plan includes the pod only if the node is missing or not Ready"
                            .formatted(title(pod), nominated));
            return false;
        }
        return conditions(pod).stream().noneMatch(condition -> SCHEDULED.equals(condition.getType()));
    }

    private static List<PodCondition> conditions(Pod pod) {
        return pod.getStatus() == null || pod.getStatus().getConditions() == null
                ? List.of()
                : pod.getStatus().getConditions();
    }

    private static boolean isEmpty(@Nullable String text) {
        return text == null || text.isEmpty();
    }
}
