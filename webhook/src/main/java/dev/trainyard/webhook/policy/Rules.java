package dev.trainyard.webhook.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.trainyard.webhook.pod.GpuNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The parts of policies that stand in YAML files beside this class.
 *
 * @param ownNamespace where Trainyard itself runs; its pods are left alone
 * @param gpuNames the names by which pods ask for GPUs
 */
record Rules(String ownNamespace, GpuNames gpuNames) {

    /** Match condition: all but the pods that are of no interest, unless their namespace has something for all of its pods. */
    static final String WANTS_GPU_OR_NAMES_TIER = "wants-gpu-or-names-tier";

    /** Match condition: the pod's own annotation says nothing. */
    static final String NAMES_NO_TIER = "names-no-tier";

    private static final YAMLMapper YAML = new YAMLMapper();
    private static final String GPU_NAMES = "GPU_NAMES";

    /**
     * A policy.
     *
     * @param condition which pods it looks at, one of those above
     * @param data CEL expressions by the name of their variable; they may use the variables of pods.yaml, and come before those of {@code file}
     * @param file with what is special of it
     */
    ObjectNode policy(String kind, String name, String condition, Map<String, String> data, String file) {
        var pods = read("pods.yaml");
        var own = read(file);
        var policy = named(kind, name);
        var spec = policy.putObject("spec");
        own.properties().stream()
                .filter(member -> member.getValue().isTextual())
                .forEach(member -> spec.set(member.getKey(), member.getValue()));
        spec.set("matchConstraints", pods.path("matchConstraints"));
        namespaces(spec.withObject("/matchConstraints/namespaceSelector"));
        var conditions = spec.putArray("matchConditions");
        conditions
                .addObject()
                .put("name", condition)
                .put("expression", withGpuNames(pods.at("/conditions/" + condition)));
        conditions.addAll((ArrayNode) pods.path("matchConditions"));
        var variables = spec.putArray("variables");
        add(variables, pods.path("variables"));
        data.forEach((variable, expression) ->
                variables.addObject().put("name", variable).put("expression", expression));
        add(variables, own.path("variables"));
        List.of("mutations", "validations").forEach(list -> {
            if (own.has(list)) {
                spec.set(list, own.path(list));
            }
        });
        return policy;
    }

    private void add(ArrayNode variables, JsonNode ofFile) {
        ofFile.forEach(variable -> variables
                .addObject()
                .put("name", variable.path("name").asText())
                .put("expression", withGpuNames(variable.path("expression"))));
    }

    /** What puts the policy {@code name} into force. */
    static ObjectNode binding(String kind, String name) {
        var binding = named(kind, name);
        binding.putObject("spec").put("policyName", name);
        return binding;
    }

    private static ObjectNode named(String kind, String name) {
        var object = JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", "admissionregistration.k8s.io/v1")
                .put("kind", kind);
        // By the labels, policies of tiers that are no more can be removed: docs/policy.md.
        object.putObject("metadata")
                .put("name", name)
                .putObject("labels")
                .put("app.kubernetes.io/part-of", "trainyard")
                .put("app.kubernetes.io/component", "policy");
        return object;
    }

    private void namespaces(ObjectNode selector) {
        var others = selector.putArray("matchExpressions")
                .addObject()
                .put("key", "kubernetes.io/metadata.name")
                .put("operator", "NotIn");
        others.putArray("values").add("kube-system").add(ownNamespace);
    }

    private String withGpuNames(JsonNode expression) {
        var names = JsonNodeFactory.instance.arrayNode();
        gpuNames.all().forEach(names::add);
        return expression.asText().replace(GPU_NAMES, Cel.literal(names));
    }

    private static ObjectNode read(String file) {
        try (var stream = Objects.requireNonNull(Rules.class.getResourceAsStream(file), file)) {
            return (ObjectNode) YAML.readTree(stream);
        } catch (IOException e) {
            throw new UncheckedIOException(file, e);
        }
    }
}
