package dev.trainyard.scaler.offline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.trainyard.runtime.configuration.ResourceFiles;
import dev.trainyard.runtime.configuration.ResourceFiles.Document;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The pods that controllers would create for Jobs, Deployments and similar objects. If the files contain pods of such an object, no pods
 * are added for it.
 */
final class Workloads {

    private static final Set<String> KINDS = Set.of("Job", "Deployment", "StatefulSet", "ReplicaSet");

    private Workloads() {}

    static List<Document> pods(ResourceFiles files, PlanRemarks remarks) {
        var made = new ArrayList<Document>();
        for (var document : files.documents()) {
            if (KINDS.contains(document.kind()) && !isOwned(document.object()) && !hasPods(document, files)) {
                int number = replicas(document, remarks);
                for (int i = 0; i < number; i++) {
                    made.add(pod(document, i));
                }
            }
        }
        return made;
    }

    /** Whether the object is a ReplicaSet with an owner, such as a Deployment. Pods are then created from the owner. */
    private static boolean isOwned(JsonNode object) {
        return object.path("kind").asText().equals("ReplicaSet")
                && !object.path("metadata").path("ownerReferences").isEmpty();
    }

    private static boolean hasPods(Document workload, ResourceFiles files) {
        return files.documents().stream()
                .filter(document -> document.kind().equals("Pod"))
                .map(Document::object)
                .filter(pod -> namespace(pod).equals(namespace(workload.object())))
                .anyMatch(pod -> isOf(pod, workload));
    }

    private static boolean isOf(JsonNode pod, Document workload) {
        for (var owner : pod.path("metadata").path("ownerReferences")) {
            var kind = owner.path("kind").asText();
            var name = owner.path("name").asText();
            // A Deployment's pods belong to a ReplicaSet. The ReplicaSet's name consists of the Deployment's name and a
            // hash.
            boolean ofItsReplicaSet = workload.kind().equals("Deployment")
                    && kind.equals("ReplicaSet")
                    && name.startsWith(workload.name() + "-")
                    && name.indexOf('-', workload.name().length() + 1) < 0;
            if (ofItsReplicaSet || (kind.equals(workload.kind()) && name.equals(workload.name()))) {
                return true;
            }
        }
        return false;
    }

    private static int replicas(Document document, PlanRemarks remarks) {
        var spec = document.object().path("spec");
        if (!spec.path("template").path("spec").isObject()) {
            remarks.broken(document, "spec.template.spec: missing, expected a pod's spec");
            return 0;
        }
        if (!document.kind().equals("Job")) {
            return number(document, "replicas", 1, remarks);
        }
        if (spec.path("suspend").asBoolean()) {
            remarks.note("%s is suspended: the plan assumes no pods".formatted(document.title()));
            return 0;
        }
        for (var condition : document.object().path("status").path("conditions")) {
            var type = condition.path("type").asText();
            if ((type.equals("Complete") || type.equals("Failed"))
                    && condition.path("status").asText().equals("True")) {
                return 0;
            }
        }
        int atOnce = number(document, "parallelism", 1, remarks);
        int left = number(document, "completions", atOnce, remarks)
                - document.object().path("status").path("succeeded").asInt();
        return Math.max(0, Math.min(atOnce, left));
    }

    private static int number(Document document, String field, int otherwise, PlanRemarks remarks) {
        var value = document.object().path("spec").path(field);
        if (value.isMissingNode() || value.isNull()) {
            return otherwise;
        }
        if (!value.canConvertToInt() || !value.isIntegralNumber() || value.asInt() < 0) {
            remarks.broken(document, "spec.%s: '%s' is not a number of pods".formatted(field, value.asText()));
            return 0;
        }
        return value.asInt();
    }

    private static Document pod(Document workload, int number) {
        var pod = ((ObjectNode) workload.object().path("spec").path("template")).deepCopy();
        pod.put("apiVersion", "v1");
        pod.put("kind", "Pod");
        var metadata = pod.path("metadata") instanceof ObjectNode there ? there : pod.putObject("metadata");
        metadata.put("namespace", namespace(workload.object()));
        metadata.put("name", workload.name() + "-" + number);
        metadata.remove("creationTimestamp");
        var created = workload.object().path("metadata").path("creationTimestamp");
        if (created.isTextual()) {
            metadata.set("creationTimestamp", created);
        }
        metadata.putArray("ownerReferences")
                .addObject()
                .put("apiVersion", workload.object().path("apiVersion").asText())
                .put("kind", workload.kind())
                .put("name", workload.name())
                .put("uid", workload.kind() + "/" + workload.name())
                .put("controller", true);
        return new Document(workload.place(), pod);
    }

    private static String namespace(JsonNode object) {
        return object.path("metadata").path("namespace").asText();
    }
}
