package dev.trainyard.scaler.offline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.configuration.ResourceFiles.Document;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The names and namespaces that the API server would give to objects from files. Objects that a round does not need are skipped. */
final class Defaults {

    /** The kinds of objects that a round reads, and the kinds that {@link Workloads} creates pods from. */
    private static final Set<String> KINDS = Set.of(
            "TrainingPool",
            "TrainingTier",
            "TrainingCluster",
            "Node",
            "Pod",
            "PodDisruptionBudget",
            "DaemonSet",
            "LimitRange",
            "Namespace",
            "Job",
            "Deployment",
            "StatefulSet",
            "ReplicaSet");

    private static final Set<String> CLUSTER_SCOPED =
            Set.of("TrainingPool", "TrainingTier", "TrainingCluster", "Node", "Namespace");

    private Defaults() {}

    /** Whether a round reads objects of the kind. */
    static boolean isRead(String kind) {
        return KINDS.contains(kind) || OfflineGangObjects.KINDS.contains(kind);
    }

    static ResourceFiles of(ResourceFiles files, PlanRemarks remarks) {
        var documents = new ArrayList<Document>();
        var generated = new HashMap<String, Integer>();
        var passedOver = new TreeMap<String, Integer>();
        var withoutPods = new TreeMap<String, Integer>();
        for (var document : files.documents()) {
            if (document.kind().isEmpty()) {
                remarks.broken(document, ResourceFiles.NO_KIND);
            } else if (!isRead(document.kind())) {
                passedOver.merge(document.kind(), 1, Integer::sum);
            } else if (document.object() instanceof ObjectNode object && !isGoing(object)) {
                var copy = object;
                if (object.path("metadata") instanceof ObjectNode metadata) {
                    var completed = metadata.deepCopy();
                    complete(document, completed, generated, remarks);
                    copy = JsonNodeFactory.instance.objectNode().setAll(object);
                    copy.set("metadata", completed);
                }
                documents.add(new Document(document.place(), copy));
                if (OfflineGangObjects.KINDS.contains(document.kind())) {
                    withoutPods.merge(document.kind(), 1, Integer::sum);
                }
            }
        }
        passedOver.forEach((kind, number) -> remarks.note("ignored: %d of kind %s".formatted(number, kind)));
        withoutPods.forEach(
                (kind, number) -> remarks.note("no pods are added for: %d of kind %s".formatted(number, kind)));
        return new ResourceFiles(documents);
    }

    /**
     * Whether the object has one of Trainyard's own kinds, such as TrainingPool, and is being deleted. Such an object is ignored. Pods and
     * nodes that are being deleted are kept.
     */
    private static boolean isGoing(ObjectNode object) {
        return object.path("kind").asText().startsWith("Training")
                && object.path("metadata").path("deletionTimestamp").isTextual();
    }

    private static void complete(
            Document document, ObjectNode metadata, Map<String, Integer> generated, PlanRemarks remarks) {
        if (!CLUSTER_SCOPED.contains(document.kind())
                && metadata.path("namespace").asText().isEmpty()) {
            metadata.put("namespace", "default");
        }
        var prefix = metadata.path("generateName").asText();
        if (metadata.path("name").asText().isEmpty() && !prefix.isEmpty()) {
            metadata.put("name", prefix + generated.merge(document.kind() + "/" + prefix, 1, Integer::sum));
        }
        var created = metadata.path("creationTimestamp");
        if (!created.isMissingNode() && !created.isNull() && !isTime(created)) {
            remarks.broken(
                    document,
                    "metadata.creationTimestamp: '%s' is not a time such as 2026-01-31T12:00:00Z"
                            .formatted(created.asText()));
            metadata.remove("creationTimestamp");
        }
    }

    private static boolean isTime(JsonNode text) {
        try {
            Instant.parse(text.asText());
            return true;
        } catch (DateTimeParseException e) {
            return false;
        }
    }
}
