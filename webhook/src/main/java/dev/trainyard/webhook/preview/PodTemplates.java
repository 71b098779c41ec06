package dev.trainyard.webhook.preview;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The places in an object that describe pods. A Pod describes itself. In other objects, a pod template is a member whose name is
 * {@code template} or ends in {@code Template}, and whose {@code spec} has containers. This rule finds the templates of Jobs, CronJobs,
 * Deployments, StatefulSets, and the training jobs of Kubeflow, Volcano, Ray and others. Containers in other places, or inside a text
 * value, are ignored, because a controller converts them before it creates pods.
 */
final class PodTemplates {

    // API groups of Kubernetes and Trainyard. Their kinds create pods only from a whole template. The suffix "k8s.io"
    // does not identify these groups, because kinds of "sparkoperator.k8s.io" create pods without a template.
    private static final Set<String> GROUPS_WITHOUT_PODS = Set.of(
            "",
            "admissionregistration.k8s.io",
            "apiextensions.k8s.io",
            "apiregistration.k8s.io",
            "autoscaling",
            "certificates.k8s.io",
            "coordination.k8s.io",
            "discovery.k8s.io",
            "events.k8s.io",
            "flowcontrol.apiserver.k8s.io",
            "networking.k8s.io",
            "node.k8s.io",
            "policy",
            "rbac.authorization.k8s.io",
            "resource.k8s.io",
            "scheduling.k8s.io",
            "storage.k8s.io",
            "trainyard.dev");
    private static final Set<String> CORE_KINDS_WITH_PODS = Set.of("PodTemplate", "ReplicationController");

    private PodTemplates() {}

    /** Whether a controller that Trainyard does not know may create pods from an object without a template. */
    static boolean mayBecomePods(ObjectNode object) {
        var version = object.path("apiVersion").asText();
        if (version.isEmpty()) {
            return true;
        }
        var group = version.contains("/") ? version.substring(0, version.indexOf('/')) : "";
        return !GROUPS_WITHOUT_PODS.contains(group)
                || (group.isEmpty()
                        && CORE_KINDS_WITH_PODS.contains(object.path("kind").asText()));
    }

    /** Returns the paths of pod templates in document order. */
    static List<JsonPointer> of(ObjectNode object) {
        if (isPod(object)) {
            return List.of(JsonPointer.empty());
        }
        var found = new ArrayList<JsonPointer>();
        search(object, JsonPointer.empty(), found);
        return found;
    }

    private static boolean isPod(ObjectNode object) {
        return object.path("kind").asText().equals("Pod")
                && object.path("apiVersion").asText("v1").equals("v1");
    }

    private static void search(JsonNode node, JsonPointer place, List<JsonPointer> found) {
        if (node.isObject()) {
            node.properties().forEach(member -> {
                var here = place.appendProperty(member.getKey());
                if (isTemplate(member.getKey(), member.getValue())) {
                    found.add(here);
                } else {
                    search(member.getValue(), here, found);
                }
            });
        } else if (node.isArray()) {
            for (int index = 0; index < node.size(); index++) {
                search(node.get(index), place.appendIndex(index), found);
            }
        }
    }

    private static boolean isTemplate(String name, JsonNode value) {
        return (name.equals("template") || name.endsWith("Template"))
                && value.path("spec").path("containers").isArray();
    }
}
